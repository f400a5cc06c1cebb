// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/image_listing.h"

#include "storage/images/image.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cannery::data {

namespace {

using storage::FolderEntry;

constexpr ErrorKind kNoPictures{
    "image_folder.no_pictures",
    "{} holds no picture (.jpg, .jpeg, .png, .bmp), nor does a folder in it. Name the folder that "
    "holds a folder of pictures for each class."};

constexpr ErrorKind kNoImageFolder{
    "image_folder.no_folder",
    "There is no folder {}. Name the folder that holds a folder of pictures for each class."};

/// Folders of pictures are a few levels deep; a loop of mounts is not.
constexpr int kDeepestFolder = 16;
/// A split, a class, a folder in it.
constexpr int kRecognizedDepth = 3;

constexpr std::array<std::string_view, 2> kTrainNames{"train", "training"};
constexpr std::array<std::string_view, 7> kEvalNames{"validation", "valid", "val",    "dev",
                                                     "eval",       "test",  "testing"};

bool isHidden(const FolderEntry& entry)
{
    return entry.name.starts_with('.');
}

bool isPicture(const FolderEntry& entry)
{
    return !entry.isFolder && !isHidden(entry) && storage::hasImageName(entry.name);
}

template <std::size_t N>
bool isAmong(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::ranges::find(names, name) != names.end();
}

/// Whether a folder's folders are the parts of a data set, which have the classes.
bool areSplits(const std::string& folder, const std::vector<FolderEntry>& entries)
{
    bool hasTrain = false;
    for (const FolderEntry& entry : entries) {
        if (!entry.isFolder || isHidden(entry)) {
            continue;
        }
        const bool isTrain = isAmong(entry.name, kTrainNames);
        if (!isTrain && !isAmong(entry.name, kEvalNames)) {
            return false;
        }
        hasTrain = hasTrain || isTrain;
        const auto inside = storage::listEntries(storage::joinPath(folder, entry.name));
        // A class may be called "test": its folder then has pictures.
        if (!inside || std::ranges::any_of(*inside, isPicture)) {
            return false;
        }
    }
    return hasTrain;
}

class Lister
{
public:
    explicit Lister(ImageListing& listing) : m_listing(listing) {}

    /// The pictures of one folder of classes.
    Result<void> addClasses(const std::string& folder)
    {
        CANNERY_TRY_ASSIGN(const std::vector<FolderEntry> entries, storage::listEntries(folder));
        std::vector<std::string> unlabelled;
        for (const FolderEntry& entry : entries) {
            if (isHidden(entry)) {
                continue;
            }
            const std::string path = storage::joinPath(folder, entry.name);
            if (entry.isFolder) {
                const std::size_t before = m_listing.paths.size();
                CANNERY_TRY(addPictures(path, 1));
                if (m_listing.paths.size() > before) {
                    m_classOf.emplace_back(entry.name, m_listing.paths.size() - before);
                }
            } else if (isPicture(entry)) {
                unlabelled.push_back(path);
            } else {
                noteOther(path);
            }
        }
        m_unlabelled.insert(m_unlabelled.end(), unlabelled.begin(), unlabelled.end());
        return {};
    }

    void finish()
    {
        for (const auto& [name, count] : m_classOf) {
            m_listing.classes.push_back(name);
        }
        std::ranges::sort(m_listing.classes);
        m_listing.classes.erase(std::unique(m_listing.classes.begin(), m_listing.classes.end()),
                                m_listing.classes.end());
        for (const auto& [name, count] : m_classOf) {
            const auto place = std::ranges::lower_bound(m_listing.classes, name);
            m_listing.classOf.insert(m_listing.classOf.end(), count,
                                     static_cast<std::uint32_t>(place - m_listing.classes.begin()));
        }
        // Pictures beside folders of pictures belong to none; on their own they are all there is.
        if (m_listing.classes.empty()) {
            m_listing.paths = std::move(m_unlabelled);
        } else if (!m_unlabelled.empty()) {
            m_listing.warnings.push_back(fmt::format(
                "{} pictures are in no folder of a class, such as {}; they are left out",
                m_unlabelled.size(), m_unlabelled.front()));
        }
        if (m_others > 0) {
            m_listing.warnings.push_back(fmt::format(
                "{} files are no pictures by their names, such as {}; they are left out", m_others,
                m_other));
        }
    }

private:
    Result<void> addPictures(const std::string& folder, int depth)
    {
        CANNERY_TRY_ASSIGN(const std::vector<FolderEntry> entries, storage::listEntries(folder));
        for (const FolderEntry& entry : entries) {
            if (isHidden(entry)) {
                continue;
            }
            std::string path = storage::joinPath(folder, entry.name);
            if (isPicture(entry)) {
                m_listing.paths.push_back(std::move(path));
            } else if (!entry.isFolder) {
                noteOther(path);
            } else if (!entry.isLink && depth < kDeepestFolder) {
                CANNERY_TRY(addPictures(path, depth + 1));
            }
        }
        return {};
    }

    void noteOther(const std::string& path) { m_other = m_others++ == 0 ? path : m_other; }

    ImageListing& m_listing;
    std::vector<std::pair<std::string, std::size_t>> m_classOf; ///< runs of paths of one class
    std::vector<std::string> m_unlabelled;
    std::size_t m_others = 0;
    std::string m_other;
};

/// Of a folder with these entries.
bool hasPictures(const std::string& folder, const std::vector<FolderEntry>& entries, int depth)
{
    return std::ranges::any_of(entries, [&](const FolderEntry& entry) {
        if (!entry.isFolder || isHidden(entry) || depth >= kRecognizedDepth) {
            return isPicture(entry);
        }
        const std::string below = storage::joinPath(folder, entry.name);
        const auto listed = storage::listEntries(below);
        return listed && hasPictures(below, *listed, depth + 1);
    });
}

} // namespace

Result<ImageListing> listImages(const std::string& folder, const std::string& split)
{
    ImageListing listing;
    listing.folder = split.empty() ? folder : storage::joinPath(folder, split);
    while (listing.folder.size() > 1 && listing.folder.ends_with('/')) {
        listing.folder.pop_back();
    }
    if (!storage::isFolder(listing.folder)) {
        return fail(ErrorCode::NotFound, kNoImageFolder, listing.folder);
    }
    CANNERY_TRY_ASSIGN(const std::vector<FolderEntry> entries,
                       storage::listEntries(listing.folder));
    Lister lister(listing);
    if (areSplits(listing.folder, entries)) {
        for (const FolderEntry& entry : entries) {
            if (entry.isFolder && !isHidden(entry)) {
                CANNERY_TRY(lister.addClasses(storage::joinPath(listing.folder, entry.name)));
            }
        }
    } else {
        CANNERY_TRY(lister.addClasses(listing.folder));
    }
    lister.finish();
    if (listing.paths.empty()) {
        return fail(ErrorCode::NotFound, kNoPictures, listing.folder);
    }
    return listing;
}

bool hasImagesBelow(const std::string& folder)
{
    if (!storage::isFolder(folder)) {
        return false;
    }
    const auto entries = storage::listEntries(folder);
    // The pictures of a project are its plots, not its rows.
    const bool isProject =
        entries && std::ranges::any_of(*entries, [](const FolderEntry& entry) {
            return entry.name.ends_with(".cannery") || entry.name == "cannery.db";
        });
    // Nor are those beside records.
    const bool hasRecords =
        entries && std::ranges::any_of(*entries, [](const FolderEntry& entry) {
            return !entry.isFolder && entry.name.find(".tfrecord") != std::string::npos;
        });
    return entries && !isProject && !hasRecords && hasPictures(folder, *entries, 0);
}

std::optional<SplitPair> imageSplitsOf(const std::string& folder)
{
    const auto entries = storage::listEntries(folder);
    if (!entries || !areSplits(folder, *entries)) {
        return std::nullopt;
    }
    const auto firstOf = [&](const auto& names) {
        for (const std::string_view name : names) {
            const bool isThere = std::ranges::any_of(*entries, [&](const FolderEntry& entry) {
                return entry.isFolder && entry.name == name;
            });
            if (isThere) {
                return std::string(name);
            }
        }
        return std::string();
    };
    const SplitPair pair{firstOf(kTrainNames), firstOf(kEvalNames)};
    return pair.eval.empty() ? std::nullopt : std::optional(pair);
}

} // namespace cannery::data
