// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/train/loop/training_observer.h"
#include "core/train/records/eval_history.h"
#include "storage/runs/decision_metric.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cannery::train {

/// Which checkpoints of a model_dir are the best: by the run's decision metric, and by the metric
/// that each best exporter compares. Evaluations of earlier trainings count. One thread.
class BestCheckpoints
{
public:
    /// `experiment`: resolved. Reads the known evaluations from the folder.
    static Result<BestCheckpoints> open(const std::string& modelDir,
                                        const spec::Experiment& experiment);

    /// Another evaluation of an existing checkpoint.
    void add(const EvaluationResult& evaluation);

    /// By step, what a checkpoint is the best of ("auc", "auc, loss"); only for those that still
    /// exist.
    std::map<std::int64_t, std::string> best();

private:
    BestCheckpoints(std::string modelDir, const spec::Experiment& experiment);

    std::vector<storage::DecisionMetric> metrics() const;

    std::string m_modelDir;
    std::vector<storage::DecisionMetric> m_deciding; ///< the first that is evaluated
    std::vector<storage::DecisionMetric> m_exporting;
    EvalHistory m_history; ///< of existing checkpoints
};

} // namespace cannery::train
