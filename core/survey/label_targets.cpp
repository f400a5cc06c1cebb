// SPDX-License-Identifier: Apache-2.0
#include "core/survey/label_targets.h"

#include "core/features/raw_rows.h"
#include "core/features/vocabulary.h"
#include "core/spec/canned_head.h"
#include "core/spec/experiment.pb.h"

#include <algorithm>

namespace cannery::survey {

namespace {

std::string className(const features::LabelRule& rule, std::int64_t id)
{
    return rule.vocabulary == nullptr ? std::to_string(id) : std::string(rule.vocabulary->word(id));
}

} // namespace

LabelTargets LabelTargets::of(const spec::Experiment& resolved)
{
    LabelTargets targets;
    Result<features::LabelEncoder> encoder =
        features::LabelEncoder::create(spec::headOf(resolved.estimator()));
    if (!encoder || encoder->rules().empty() || spec::predictsEveryStep(resolved.estimator())) {
        return targets; // where each step has a label, the row itself has none
    }
    const features::LabelRule& rule = encoder->rules().front();
    targets.m_areIds = rule.kind == spec::LabelKind::ClassId;
    targets.m_areShares = rule.kind != spec::LabelKind::Number;
    if (rule.kind == spec::LabelKind::Number) {
        targets.m_names = {std::string()};
    } else if (rule.kind == spec::LabelKind::Probability) {
        targets.m_names = {className(rule, 1)};
    } else {
        // Many classes would fill the output with small numbers.
        for (std::int64_t id = 0; id < std::min(rule.classes, kMostClasses); ++id) {
            targets.m_names.push_back(className(rule, id));
        }
    }
    targets.m_encoder = std::move(*encoder);
    return targets;
}

void LabelTargets::read(const data::FeatureBatch& batch, std::span<const std::string> files,
                        std::vector<float>& out)
{
    out.clear();
    if (m_names.empty()) {
        return;
    }
    const features::RawRows rows(batch, files);
    // A table without labels is surveyed without targets.
    if (batch.labels.empty() || !m_encoder.encode(rows, m_labels)) {
        m_names.clear();
        return;
    }
    const auto width = static_cast<std::size_t>(m_encoder.width());
    out.reserve(static_cast<std::size_t>(batch.rowCount) * m_names.size());
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.rowCount); ++row) {
        const std::span<const float> labels = std::span(m_labels).subspan(row * width, width);
        for (std::size_t target = 0; target < m_names.size(); ++target) {
            // Each class is a target of its own: 1 in its rows.
            const bool isClass = m_areIds && labels.front() == static_cast<float>(target);
            out.push_back(m_areIds ? (isClass ? 1.0F : 0.0F) : labels[target]);
        }
    }
}

} // namespace cannery::survey
