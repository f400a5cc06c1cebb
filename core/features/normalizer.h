// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/node_ref.h"

#include <span>
#include <string_view>

namespace cannery::spec {
class Normalizer;
} // namespace cannery::spec
namespace cannery::storage {
class GraphDefBuilder;
} // namespace cannery::storage

namespace cannery::features {

/// The normalizer_fn of a numeric column, in float32 as TensorFlow computes it: (x - subtract) /
/// divide (which covers z-score and min-max), or the same for log(x + offset).
class Normalizer
{
public:
    /// The identity.
    Normalizer() = default;
    /// Errors: "features.no_statistics" if values are to come from training rows that have not been
    /// read; "features.divide_by_zero".
    static Result<Normalizer> create(const spec::Normalizer& spec, std::string_view column);

    void apply(std::span<float> values) const;
    /// The same for one number. Never decreases with it, or, if it descends, never increases; NaN
    /// only for numbers below all others.
    float normalized(float value) const;
    bool descends() const { return m_divide < 0; }
    /// The same as nodes; any shape, float.
    storage::NodeRef emit(storage::GraphDefBuilder& graph, storage::NodeRef value) const;

private:
    enum class Kind
    {
        Identity,
        Linear,
        Log,
    };
    Kind m_kind = Kind::Identity;
    float m_subtract = 0;
    float m_divide = 1;
    float m_offset = 0;
};

} // namespace cannery::features
