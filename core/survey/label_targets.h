// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/feature_batch.h"
#include "core/features/label_encoder.h"

#include <span>
#include <string>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::survey {

/// What is averaged of the label over a group of rows: the share of each class, or the label
/// itself. With several heads, that of the first. One thread.
class LabelTargets
{
public:
    /// Without targets if the experiment's head cannot be made.
    static LabelTargets of(const spec::Experiment& resolved);

    /// The classes whose shares are averaged: the positive one of two, or the first kMostClasses;
    /// one empty name if the label is a number.
    const std::vector<std::string>& names() const { return m_names; }
    bool areShares() const { return m_areShares; }

    static constexpr std::int64_t kMostClasses = 20;

    /// rows × names() numbers. After labels that cannot be read there are no names any more.
    void read(const data::FeatureBatch& batch, std::span<const std::string> files,
              std::vector<float>& out);

private:
    features::LabelEncoder m_encoder;
    std::vector<std::string> m_names;
    bool m_areShares = false;
    bool m_areIds = false; ///< a label is a class, rather than a number per class
    std::vector<float> m_labels;
};

} // namespace cannery::survey
