#include "core/train/run_name.h"

#include "storage/io/files.h"
#include "storage/runs/run_store.h"

#include <array>
#include <cctype>
#include <ctime>

namespace cannery::train {
namespace {

constexpr std::size_t kLongestName = 40;

std::string slugOf(const std::string& text)
{
    std::string slug;
    for (const unsigned char letter : text) {
        if (std::isalnum(letter) != 0 && letter < 0x80) {
            slug += static_cast<char>(std::tolower(letter));
        } else if (!slug.empty() && slug.back() != '-') {
            slug += '-';
        }
    }
    slug.resize(std::min(slug.size(), kLongestName));
    while (!slug.empty() && slug.back() == '-') {
        slug.pop_back();
    }
    return slug.empty() ? "run" : slug;
}

} // namespace

std::string runName(const std::string& experimentName, double wallTime)
{
    const auto seconds = static_cast<std::time_t>(wallTime);
    std::tm local{};
    localtime_r(&seconds, &local);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d_%H%M%S", &local);
    return std::string(text.data(), size) + "_" + slugOf(experimentName);
}

Result<std::string> createRunFolder(const std::string& projectFolder, const std::string& name,
                                    storage::FileSystem& system)
{
    const std::string runs = storage::joinPath(projectFolder, storage::kRunsFolder);
    CANNERY_TRY(storage::makeFolders(runs, system));
    for (int attempt = 1;; ++attempt) {
        const std::string folder =
            storage::joinPath(runs, attempt == 1 ? name : name + "-" + std::to_string(attempt));
        const Result<void> made = system.makeFolder(folder);
        if (made) {
            return folder;
        }
        if (made.error().code != ErrorCode::AlreadyExists) {
            return tl::make_unexpected(made.error());
        }
    }
}

} // namespace cannery::train
