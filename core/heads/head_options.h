// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/losses/loss.h"
#include "core/spec/heads.pb.h"

#include <string>
#include <vector>

namespace cannery::heads {

/// The arguments that most heads share.
struct HeadOptions
{
    std::string name;
    bool weighted = false;               ///< has a weight_column
    std::vector<std::string> vocabulary; ///< classes are named by their decimal id if empty
    std::vector<float> thresholds;
    losses::Reduction reduction = losses::Reduction::SumOverBatchSize;

    /// "auc" or, for a named head, "auc/<name>".
    std::string metricName(const std::string& key) const
    {
        return name.empty() ? key : key + "/" + name;
    }
    /// Logical name of the scope of its nodes.
    std::string scope() const { return name.empty() ? "head" : name; }
    /// The same below an absolute scope, which may be empty.
    std::string scopeBelow(const std::string& outer) const
    {
        return outer.empty() ? scope() : outer + "/" + scope();
    }
};

losses::Reduction reductionOf(spec::LossReduction::Kind kind);

/// TensorFlow makes a scope of the name, so it must consist of a letter, a digit or a dot followed
/// by letters, digits and "_.\/>-".
Result<void> checkHeadName(const std::string& name);
/// A vocabulary has one word per class, without duplicates.
Result<void> checkVocabulary(const std::vector<std::string>& vocabulary, std::int64_t classes);
/// Strictly between 0 and 1.
Result<void> checkThresholds(const std::vector<float>& thresholds);

/// The common part of a head's message, validated.
template <typename Message>
Result<HeadOptions> readHeadOptions(const Message& message)
{
    HeadOptions options;
    options.name = message.name();
    options.weighted = message.has_weight_column();
    options.reduction = reductionOf(message.loss_reduction());
    CANNERY_TRY(checkHeadName(options.name));
    return options;
}

/// The same for a classifier's head, with its vocabulary.
template <typename Message>
Result<HeadOptions> readClassOptions(const Message& message, std::int64_t classes)
{
    CANNERY_TRY_ASSIGN(HeadOptions options, readHeadOptions(message));
    options.vocabulary.assign(message.label_vocabulary().begin(), message.label_vocabulary().end());
    CANNERY_TRY(checkVocabulary(options.vocabulary, classes));
    return options;
}

} // namespace cannery::heads
