// SPDX-License-Identifier: Apache-2.0
#include "core/spec/checks/name_rules.h"

#include "core/base/folder_name.h"
#include "core/base/utf8.h"
#include "core/spec/text/text_escapes.h"

#include <algorithm>

namespace cannery::spec {

namespace {

constexpr ErrorKind kBadName{"spec.bad_name", "The name {0} has {1}: remove it."};
constexpr ErrorKind kLongName{
    "spec.long_name", "The name {0} has {1} bytes: at most {2} are allowed, so shorten it."};
constexpr ErrorKind kBadFolderName{
    "spec.bad_folder_name",
    "{0} cannot be a name here: it becomes the name of a folder, so it must not be empty, '.' or "
    "'..', nor contain '/'. Choose another."};

/// Number of characters of a name that a message shows.
constexpr std::size_t kShownBytes = 60;

std::optional<Error> lengthProblem(std::string_view name, std::size_t most)
{
    if (name.size() <= most) {
        return std::nullopt;
    }
    return error(ErrorCode::InvalidArgument, kLongName, shownName(name), name.size(), most);
}

/// Of its characters; `isRefused`: of one.
template <typename IsRefused>
std::optional<Error> problemOf(std::string_view name, const IsRefused& isRefused)
{
    const auto control = std::find_if(name.begin(), name.end(), isRefused);
    if (control != name.end()) {
        const auto byte = static_cast<unsigned char>(*control);
        return error(ErrorCode::InvalidArgument, kBadName, shownName(name),
                     byte == 0 ? "a zero byte"
                               : fmt::format("a control character (0x{:02X})", unsigned{byte}));
    }
    if (findInvalidUtf8(name) != std::string_view::npos) {
        return error(ErrorCode::InvalidArgument, kBadName, shownName(name),
                     "a byte that is not UTF-8");
    }
    return std::nullopt;
}

} // namespace

std::string shownName(std::string_view name)
{
    if (name.size() <= kShownBytes) {
        // Shortened, as a name may be a megabyte long.
        return quotedText(name);
    }
    return quotedText(wholeCharacters(name, kShownBytes)) + "…";
}

std::optional<Error> nameProblem(std::string_view name)
{
    std::optional<Error> problem =
        problemOf(name, [](char one) { return isControlCharacter(one); });
    return problem ? problem : lengthProblem(name, kMostNameBytes);
}

std::optional<Error> columnNameProblem(std::string_view name)
{
    constexpr std::string_view kInCells = "\t\n\r";
    // Cells of a header may have tabs and line breaks within quotes.
    return problemOf(name, [&](char one) {
        return isControlCharacter(one) && kInCells.find(one) == std::string_view::npos;
    });
}

std::optional<Error> folderNameProblem(std::string_view name)
{
    if (isFolderName(name)) {
        return std::nullopt;
    }
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos) {
        // The message of a path separator is more helpful than the one about characters.
        return error(ErrorCode::InvalidArgument, kBadFolderName, shownName(name));
    }
    if (std::optional<Error> problem = nameProblem(name)) {
        return problem;
    }
    return lengthProblem(name, kMostFolderNameBytes);
}

} // namespace cannery::spec
