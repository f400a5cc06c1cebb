// SPDX-License-Identifier: Apache-2.0
#include "core/base/error_json.h"

#include "core/base/json_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace cannery {

using Json = nlohmann::ordered_json;

std::string errorJson(const Error& error)
{
    return fmt::format(R"({{"error":{}}})", errorObjectJson(error));
}

std::string errorObjectJson(const Error& error)
{
    return jsonText(Json{{"id", error.id},
                         {"sentence", error.sentence},
                         {"path", error.path},
                         {"notes", error.notes},
                         {"arguments", error.arguments}});
}

std::string progressJson(double share, const std::string& message)
{
    return jsonText(Json{{"progress", share}, {"message", message}});
}

} // namespace cannery
