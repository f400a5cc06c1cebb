// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/cluster_spec.h"
#include "core/cluster/environment.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::cluster {

inline constexpr std::string_view kTfConfigVariable = "TF_CONFIG";

/// Reads the value of TF_CONFIG by the rules of tf.estimator.RunConfig (TensorFlow 2.15, class
/// RunConfig in tensorflow_estimator/python/estimator/run_config.py), and by those of tf.distribute
/// where a strategy widens them: a cluster may do without a chief. None if the text is blank.
///
/// Accepts the forms that Kubeflow's operator writes: evaluators inside or outside `cluster`, maps
/// from indices to addresses, `sparseCluster` of dynamic workers, `environment`. Without a cluster
/// the process is alone. `session_master`, `eval_session_master`, `service`, an `rpc_layer` other
/// than gRPC and unknown keys are ignored with a warning.
///
/// Stricter than TensorFlow, which fails later or not at all: addresses are checked, no two tasks
/// may share one, and job names other than chief, master, worker, ps and evaluator are refused.
/// Every violation has an id "cluster.…" and a sentence of its own.
Result<std::optional<ClusterSpec>> readTfConfig(std::string_view json);

/// The same, from the variable TF_CONFIG; none if it is not set.
Result<std::optional<ClusterSpec>> readTfConfig(const Environment& environment);

/// TF_CONFIG of one task exactly as Kubeflow's operator (v1.8) writes it: evaluators inside
/// `cluster`, `environment` "cloud", no white space. `tasks` are all tasks of the cluster, of each
/// type without gaps.
std::string writeTfConfig(std::vector<Task> tasks, TaskType type, int index);

} // namespace cannery::cluster
