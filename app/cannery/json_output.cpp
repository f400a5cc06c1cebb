#include "app/cannery/json_output.h"

#include <nlohmann/json.hpp>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

/// Paths may hold bytes that are no UTF-8; they become U+FFFD.
std::string textOf(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

std::string errorJson(const Error& error)
{
    return textOf({{"error",
                    {{"id", error.id},
                     {"sentence", error.sentence},
                     {"path", error.path},
                     {"notes", error.notes},
                     {"arguments", error.arguments}}}});
}

std::string progressJson(double share, const std::string& message)
{
    return textOf({{"progress", share}, {"message", message}});
}

} // namespace cannery::app
