// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"
#include "storage/tf/events/histogram.h"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace cannery::storage {

/// A setting of a training, for TensorBoard's panel HParams.
struct Hyperparameter
{
    std::string name;
    std::variant<bool, double, std::string> value;

    bool operator==(const Hyperparameter&) const = default;
};

/// The values logged at one step, in the order of the calls: one Summary message. Clearing it and
/// refilling it with scalars allocates nothing.
class SummaryBuilder
{
public:
    /// In the form that Estimator writes and every reader accepts (`simple_value`).
    SummaryBuilder& scalar(std::string_view tag, float value);
    SummaryBuilder& histogram(std::string_view tag, const Histogram& histogram);
    /// A scalar string tensor without metadata, as Estimator writes `checkpoint_path`.
    SummaryBuilder& stringTensor(std::string_view tag, std::string_view value);
    /// A tensor without metadata, as Estimator writes an array among its metrics.
    SummaryBuilder& tensor(std::string_view tag, std::span<const double> values, Shape shape);
    /// Markdown for TensorBoard's Text panel.
    SummaryBuilder& text(std::string_view tag, std::string_view markdown);
    /// What TensorBoard's plugin "hparams" reads of a training: what it begins with, and how it has
    /// ended. Seconds since 1970.
    SummaryBuilder& sessionStart(std::span<const Hyperparameter> hyperparameters, double seconds);
    SummaryBuilder& sessionEnd(bool succeeded, double seconds);

    bool isEmpty() const { return m_bytes.empty(); }
    void clear() { m_bytes.clear(); }
    /// The Summary in wire format; valid until the next call.
    const std::string& serialized() const { return m_bytes; }

private:
    void append(std::string_view value);

    std::string m_bytes;
};

} // namespace cannery::storage
