// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/tf_config_json.h"

#include "core/base/json_text.h"
#include "core/base/printable.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace cannery::cluster {
namespace {

using Json = nlohmann::json;

constexpr ErrorKind kNotJson{
    "cluster.not_json",
    "TF_CONFIG is not valid JSON: it cannot be read beyond \"{}\" (byte {}). Names and texts need "
    "double quotes, and no comma may follow the last entry."};
constexpr ErrorKind kWrongType{"cluster.wrong_type", "In TF_CONFIG, {} must be {}, not {}."};
constexpr ErrorKind kBadIndexKey{
    "cluster.bad_index_key",
    "In TF_CONFIG, \"{}\" of the cluster maps \"{}\" to an address; the keys of such a map are "
    "task indices: 0, 1, 2 and so on."};
constexpr ErrorKind kBadIndex{
    "cluster.bad_index",
    "The index of the task in TF_CONFIG must be a whole number from 0 to 2147483647, not {}."};
constexpr ErrorKind kNegativeIndex{
    "cluster.negative_index",
    "The index of the task in TF_CONFIG is {}. Indices begin with 0; none is negative."};
constexpr ErrorKind kTwoClusters{
    "cluster.two_clusters",
    "TF_CONFIG has both \"cluster\" and \"sparseCluster\". Keep the one that describes this job."};

/// How much of a text is shown before the place where it cannot be read.
constexpr std::size_t kShownBytes = 30;

/// Finds the place where a text stops being JSON. The overridden names are the library's.
class PlaceOfError : public nlohmann::json_sax<Json>
{
public:
    // NOLINTBEGIN(readability-identifier-naming)
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(Json::binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(std::string&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception&) override
    {
        m_position = position;
        return false;
    }
    // NOLINTEND(readability-identifier-naming)

    std::size_t position() const { return m_position; }

private:
    std::size_t m_position = 0;
};

tl::unexpected<Error> notJson(std::string_view text)
{
    // Parsed a second time, only for the place of the error.
    PlaceOfError place;
    Json::sax_parse(text, &place);
    const std::size_t end = std::min(place.position(), text.size());
    // What comes before the place shows where it is.
    const std::size_t begin = end < kShownBytes ? 0 : end - kShownBytes;
    return fail(ErrorCode::InvalidArgument, kNotJson, printable(text.substr(begin, end - begin)),
                end);
}

std::string_view kindOf(const Json& value)
{
    switch (value.type()) {
    case Json::value_t::null:
        return "null";
    case Json::value_t::object:
        return "an object";
    case Json::value_t::array:
        return "a list";
    case Json::value_t::string:
        return "a text";
    case Json::value_t::boolean:
        return "true or false";
    default:
        return "a number";
    }
}

tl::unexpected<Error> wrongType(std::string_view what, std::string_view wanted, const Json& value)
{
    return fail(ErrorCode::InvalidArgument, kWrongType, what, wanted, kindOf(value));
}

Result<std::string> textOf(const Json& value, std::string_view what)
{
    if (!value.is_string()) {
        return wrongType(what, "a text", value);
    }
    return value.get<std::string>();
}

/// Decimal digits only, as Kubeflow writes keys.
std::optional<int> indexOf(std::string_view digits)
{
    int index = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, index);
    // One spelling of each index, so that none comes twice.
    const bool isCanonical = digits == "0" || (!digits.starts_with('0') && index > 0);
    return failure == std::errc() && stop == end && isCanonical ? std::optional(index)
                                                                : std::nullopt;
}

Result<JobAddresses> addressesOf(const std::string& job, const Json& value)
{
    const std::string what = fmt::format("\"{}\" of the cluster", job);
    JobAddresses addresses;
    if (value.is_array()) {
        // A list numbers its tasks from 0.
        for (const Json& entry : value) {
            CANNERY_TRY_ASSIGN(std::string address, textOf(entry, "each address in " + what));
            addresses.emplace(static_cast<int>(addresses.size()), std::move(address));
        }
        return addresses;
    }
    if (!value.is_object()) {
        return wrongType(what, "a list of addresses, or an object that maps indices to them",
                         value);
    }
    for (const auto& [key, entry] : value.items()) {
        const std::optional<int> index = indexOf(key);
        if (!index) {
            return fail(ErrorCode::InvalidArgument, kBadIndexKey, job, key);
        }
        CANNERY_TRY_ASSIGN(std::string address, textOf(entry, "each address in " + what));
        addresses.emplace(*index, std::move(address));
    }
    return addresses;
}

/// Whether a job has tasks that are not listed: a map has gaps, or is that of one dynamic worker.
bool mayMissTasks(std::string_view job, const Json& value, const JobAddresses& addresses)
{
    if (!value.is_object() || addresses.empty()) {
        return false;
    }
    // A map without gaps lists all tasks, unless it is a single dynamic worker's.
    const auto tasks = static_cast<std::size_t>(addresses.rbegin()->first) + 1;
    return tasks != addresses.size() || (job == "worker" && tasks == 1);
}

Result<void> readCluster(const Json& cluster, TfConfigText& result)
{
    if (!cluster.is_object()) {
        return wrongType("\"cluster\"", "an object that maps types of tasks to addresses", cluster);
    }
    for (const auto& [job, value] : cluster.items()) {
        CANNERY_TRY_ASSIGN(result.jobs[job], addressesOf(job, value));
        result.isSparse = result.isSparse || mayMissTasks(job, value, result.jobs[job]);
    }
    return {};
}

/// TensorFlow passes the index to Python's int(), so a text with a number is an index as well.
Result<int> taskIndexOf(const Json& value)
{
    // Numbers with a fraction are refused with their own text.
    const std::string text = value.is_string()   ? value.get<std::string>()
                             : value.is_number() ? jsonText(value)
                                                 : std::string(kindOf(value));
    const char* end = text.data() + text.size();
    int index = 0;
    const auto [stop, failure] = std::from_chars(text.data(), end, index);
    if (failure != std::errc() || stop != end) {
        return fail(ErrorCode::InvalidArgument, kBadIndex, printable(text));
    }
    if (index < 0) {
        return fail(ErrorCode::InvalidArgument, kNegativeIndex, index);
    }
    return index;
}

Result<void> readTask(const Json& task, TfConfigText& result)
{
    if (!task.is_object()) {
        return wrongType("\"task\"", "an object with \"type\" and \"index\"", task);
    }
    const auto type = task.find("type");
    // A null is as good as no entry.
    if (type != task.end() && !type->is_null()) {
        CANNERY_TRY_ASSIGN(result.taskType, textOf(*type, "the type of the task"));
    }
    const auto index = task.find("index");
    if (index != task.end() && !index->is_null()) {
        CANNERY_TRY_ASSIGN(result.taskIndex, taskIndexOf(*index));
    }
    return {};
}

Result<void> readKey(const std::string& key, const Json& value, TfConfigText& result)
{
    if (key == "cluster") {
        return readCluster(value, result);
    }
    if (key == "sparseCluster") {
        result.isSparse = true;
        return readCluster(value, result);
    }
    if (key == "task") {
        return readTask(value, result);
    }
    if (key == "model_dir") {
        if (!value.is_null()) {
            CANNERY_TRY_ASSIGN(result.modelDir, textOf(value, "\"model_dir\""));
        }
        return {};
    }
    if (key == "rpc_layer") {
        CANNERY_TRY_ASSIGN(result.rpcLayer, textOf(value, "\"rpc_layer\""));
        return {};
    }
    if (key == "service" && !value.is_null() && !value.is_object()) {
        return wrongType("\"service\"", "an object", value);
    }
    // Anything else is named in a warning, as it may be a typing error.
    if (key != "environment") {
        result.ignoredKeys.push_back(key);
    }
    return {};
}

} // namespace

Result<TfConfigText> parseTfConfigText(std::string_view json)
{
    // Without exceptions: the place of an error is looked for separately.
    const Json config = Json::parse(json, nullptr, false);
    if (config.is_discarded()) {
        return notJson(json);
    }
    if (!config.is_object()) {
        return wrongType("the whole value", "an object with \"cluster\" and \"task\"", config);
    }
    if (config.contains("cluster") && config.contains("sparseCluster")) {
        return fail(ErrorCode::InvalidArgument, kTwoClusters);
    }
    TfConfigText result;
    for (const auto& [key, value] : config.items()) {
        CANNERY_TRY(readKey(key, value, result));
    }
    return result;
}

std::string tfConfigJson(const std::map<std::string, std::vector<std::string>>& jobs,
                         std::string_view taskType, int taskIndex)
{
    nlohmann::ordered_json config;
    config["cluster"] = jobs;
    config["task"]["type"] = taskType;
    config["task"]["index"] = taskIndex;
    // TensorFlow expects this entry of whoever is not in a notebook.
    config["environment"] = "cloud";
    return jsonText(config);
}

} // namespace cannery::cluster
