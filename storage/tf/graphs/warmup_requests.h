// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/tensor.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The file below assets.extra/ with requests that TF Serving runs when it loads a model, so that
/// the first client need not wait.
inline constexpr std::string_view kWarmupRequestsFile = "tf_serving_warmup_requests";

struct WarmupRequest
{
    std::string signature;
    std::map<std::string, HostTensor> inputs; ///< by the keys of the signature
};

/// The file's content: TFRecords, each a PredictionLog of tensorflow.serving with one PredictLog.
/// The model's name is empty: the server that replays it knows which model it loads.
std::string warmupRequestsFile(const std::vector<WarmupRequest>& requests);

} // namespace cannery::storage
