// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::cluster {

/// The addresses of one job of `cluster`, by index.
using JobAddresses = std::map<int, std::string>;

/// What TF_CONFIG says, with types checked but not yet meaning.
struct TfConfigText
{
    std::map<std::string, JobAddresses> jobs; ///< of `cluster` or `sparseCluster`; by name
    bool isSparse = false;                    ///< there may be tasks that are not listed
    std::string taskType;                     ///< empty if missing
    std::optional<int> taskIndex;
    std::optional<std::string> modelDir;
    std::string rpcLayer;
    std::vector<std::string> ignoredKeys; ///< present, without a meaning here
};

/// Reads the JSON text. "cluster.not_json", "cluster.wrong_type", "cluster.bad_index_key",
/// "cluster.bad_index", "cluster.negative_index" or "cluster.two_clusters".
Result<TfConfigText> parseTfConfigText(std::string_view json);

/// The inverse, with the keys in the order in which Kubeflow's operator writes them.
std::string tfConfigJson(const std::map<std::string, std::vector<std::string>>& jobs,
                         std::string_view taskType, int taskIndex);

} // namespace cannery::cluster
