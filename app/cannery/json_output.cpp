// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/json_output.h"

#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

namespace cannery::app {

using Json = nlohmann::ordered_json;

std::string errorJson(const Error& error)
{
    const Json json{{"error",
                     {{"id", error.id},
                      {"sentence", error.sentence},
                      {"path", error.path},
                      {"notes", error.notes},
                      {"arguments", error.arguments}}}};
    return jsonText(json);
}

std::string progressJson(double share, const std::string& message)
{
    return jsonText(Json{{"progress", share}, {"message", message}});
}

} // namespace cannery::app
