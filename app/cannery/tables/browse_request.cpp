// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/browse_request.h"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace cannery::app {

using Json = nlohmann::ordered_json;
using Kind = BrowseRequest::Kind;

namespace {

constexpr ErrorKind kBadRequest{
    "command.bad_browse_request",
    "The request cannot be read: {}. Send one JSON object per line "
    "with an id and one of rows, statistics, bad_rows and check, or cancel."};

constexpr std::array<std::pair<const char*, Kind>, 4> kKinds{{{"rows", Kind::Rows},
                                                              {"statistics", Kind::Statistics},
                                                              {"bad_rows", Kind::BadRows},
                                                              {"check", Kind::Check}}};

tl::unexpected<BrowseRefusal> refuse(std::optional<std::int64_t> id, const char* reason)
{
    return tl::make_unexpected(
        BrowseRefusal{id, error(ErrorCode::InvalidArgument, kBadRequest, reason)});
}

std::optional<std::int64_t> integerIn(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_integer()
               ? std::optional(found->get<std::int64_t>())
               : std::nullopt;
}

std::uint64_t placeIn(const Json& json, const char* key, std::uint64_t otherwise)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>()
                                                              : otherwise;
}

std::string textIn(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace

tl::expected<BrowseRequest, BrowseRefusal> parseBrowseRequest(const std::string& line)
{
    BrowseRequest request;
    // An empty line asks for nothing.
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
        return request;
    }
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
        return refuse(std::nullopt, "it is not a JSON object");
    }
    if (const auto cancelled = integerIn(json, "cancel")) {
        request.kind = Kind::Cancel;
        request.id = *cancelled;
        return request;
    }
    const std::optional<std::int64_t> id = integerIn(json, "id");
    if (!id) {
        return refuse(id, "it has no id");
    }
    request.id = *id;
    for (const auto& [key, kind] : kKinds) {
        const auto wanted = json.find(key);
        if (wanted != json.end() && wanted->is_object()) {
            const auto descending = wanted->find("descending");
            request.kind = kind;
            request.query = {.filter = textIn(*wanted, "filter"),
                             .sort = textIn(*wanted, "sort"),
                             .isDescending = descending != wanted->end() && *descending == true};
            request.first = placeIn(*wanted, "first", request.first);
            request.count = placeIn(*wanted, "count", request.count);
            return request;
        }
    }
    return refuse(id, "it asks for none of these");
}

} // namespace cannery::app
