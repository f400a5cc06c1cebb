// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/warmup_requests.h"

#include "storage/tf/proto_convert.h"
#include "storage/tf/record_file.h"
#include "storage/tf/schema/prediction_log.pb.h"

namespace cannery::storage {

std::string warmupRequestsFile(const std::vector<WarmupRequest>& requests)
{
    std::string content;
    for (const WarmupRequest& request : requests) {
        tensorflow::serving::PredictionLog log;
        tensorflow::serving::PredictRequest& logged = *log.mutable_predict_log()->mutable_request();
        logged.mutable_model_spec()->set_signature_name(request.signature);
        for (const auto& [key, tensor] : request.inputs) {
            detail::toProto(tensor, (*logged.mutable_inputs())[key]);
        }
        content += frameRecord(detail::serializeDeterministically(log));
    }
    return content;
}

} // namespace cannery::storage
