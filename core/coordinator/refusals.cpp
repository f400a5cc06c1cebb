// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/refusals.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace cannery::coordinator {
namespace {

constexpr ErrorKind kOtherToken{
    "coordinator.other_token",
    "The job at this address belongs to somebody else: the token of {} at {} is not the job's. "
    "Start all tasks of a job with the same token, or use another address."};
constexpr ErrorKind kOtherVersion{
    "coordinator.other_version",
    "{} at {} is version {} of cannery, the chief is version {}; start all tasks of a job with the "
    "same version."};
constexpr ErrorKind kOtherExperiment{
    "coordinator.other_experiment",
    "{} at {} was started with another experiment than the chief: {}. Start all tasks of a job "
    "with the same file and the same --set."};
constexpr ErrorKind kRankOutOfRange{
    "coordinator.rank_out_of_range",
    "{} at {} has rank {}, but the chief's cluster has {} tasks; start all tasks of a job with the "
    "same cluster in TF_CONFIG."};
constexpr ErrorKind kOtherCluster{
    "coordinator.other_cluster",
    "{} at {} has rank {}, which is {} in the chief's cluster; start all tasks of a job with the "
    "same cluster in TF_CONFIG."};
constexpr ErrorKind kTwoChiefs{
    "coordinator.two_chiefs",
    "{} at {} is a second chief: another process, at {}, already leads this job. End one of the "
    "two, or give this one another task in TF_CONFIG."};

/// A line longer than this is cut in a sentence.
constexpr std::size_t kLongestLine = 120;
constexpr double kMsPerHour = 3600e3;

/// Removes the first line from a text and its indentation; nothing if there is none.
std::optional<std::string_view> takeLine(std::string_view& text)
{
    if (text.empty()) {
        return std::nullopt;
    }
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string quoted(std::optional<std::string_view> line)
{
    if (!line) {
        return "missing";
    }
    // A line of an experiment may be long.
    const std::string_view shown = wholeCharacters(*line, kLongestLine);
    return fmt::format("\"{}{}\"", shown, shown.size() < line->size() ? "…" : "");
}

} // namespace

std::optional<Error> objectionTo(const MemberIdentity& candidate, const MemberIdentity& chief,
                                 const std::vector<std::string>& tasks)
{
    const std::string& task = candidate.task;
    const std::string& host = candidate.host;
    // The token first: a stranger learns nothing else.
    if (!areEqualTokens(candidate.token, chief.token)) {
        return error(ErrorCode::PermissionDenied, kOtherToken, task, host);
    }
    if (candidate.version != chief.version) {
        return error(ErrorCode::FailedPrecondition, kOtherVersion, task, host, candidate.version,
                     chief.version);
    }
    if (candidate.rank < 0 || static_cast<std::size_t>(candidate.rank) >= tasks.size()) {
        return error(ErrorCode::InvalidArgument, kRankOutOfRange, task, host, candidate.rank,
                     tasks.size());
    }
    const std::string& expected = tasks[static_cast<std::size_t>(candidate.rank)];
    if (task != expected) {
        return error(ErrorCode::InvalidArgument, kOtherCluster, task, host, candidate.rank,
                     expected);
    }
    // Rank 0 is the chief, which is this process.
    if (candidate.rank == 0 && candidate.incarnation != chief.incarnation) {
        return error(ErrorCode::AlreadyExists, kTwoChiefs, task, host, chief.host);
    }
    if (candidate.digest != chief.digest) {
        return error(ErrorCode::FailedPrecondition, kOtherExperiment, task, host,
                     firstDifference(candidate.experiment, chief.experiment));
    }
    return std::nullopt;
}

bool areEqualTokens(std::string_view a, std::string_view b)
{
    // All bytes are compared, so that the time does not reveal where they differ.
    unsigned difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    }
    return difference == 0;
}

std::string firstDifference(std::string_view there, std::string_view atTheChief)
{
    std::optional<std::string_view> a;
    std::optional<std::string_view> b;
    int number = 0;
    do {
        a = takeLine(there);
        b = takeLine(atTheChief);
        ++number;
    } while (a == b && a);
    if (a == b) {
        return "the texts are equal, but what they refer to differs";
    }
    return fmt::format("line {} is {} there and {} at the chief", number, quoted(a), quoted(b));
}

std::optional<double> clockHours(std::int64_t unixTimeMs, std::int64_t reference)
{
    const double hours =
        (static_cast<double>(unixTimeMs) - static_cast<double>(reference)) / kMsPerHour;
    if (std::abs(hours) <= 1) {
        return std::nullopt;
    }
    return std::round(std::abs(hours) * 10) / 10;
}

} // namespace cannery::coordinator
