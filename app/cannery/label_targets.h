// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/feature_batch.h"
#include "core/features/label_encoder.h"

#include <span>
#include <string>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::app {

/// What of the label is averaged over rows that have something in common: a share per class, or the
/// label itself. Of several heads, the first one's. One thread.
class LabelTargets
{
public:
    /// No targets if the experiment's head cannot be made.
    static LabelTargets of(const spec::Experiment& resolved);

    /// Names of the classes whose shares are averaged: the positive one of two, or each of the
    /// first kMostClasses; one empty name if the label is a number.
    const std::vector<std::string>& names() const { return m_names; }
    bool areShares() const { return m_areShares; }

    static constexpr std::int64_t kMostClasses = 20;

    /// rows × names() numbers. Labels that cannot be read end it: no names from then on.
    void read(const data::FeatureBatch& batch, std::span<const std::string> files,
              std::vector<float>& out);

private:
    features::LabelEncoder m_encoder;
    std::vector<std::string> m_names;
    bool m_areShares = false;
    bool m_areIds = false; ///< a label is a class, not a number per class
    std::vector<float> m_labels;
};

} // namespace cannery::app
