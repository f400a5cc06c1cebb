// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/recording_file_system.h"

#include "storage/io/files.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <unordered_map>

namespace cannery::tests {
namespace {

namespace fs = std::filesystem;
using Kind = DiskOperation::Kind;

constexpr std::size_t kSector = 512;
constexpr std::size_t kPage = 4096;

using Content = std::shared_ptr<const CrashImage::Content>;

Content contentOf(std::string bytes)
{
    const std::size_t digest = std::hash<std::string>()(bytes);
    return std::make_shared<CrashImage::Content>(std::move(bytes), digest);
}

/// The state of a disk while a record is replayed. Contents are much larger than everything else
/// and are shared.
class Disk
{
public:
    explicit Disk(const RecordingFileSystem& record)
    {
        for (const DiskNode& node : record.before()) {
            m_written.push_back(contentOf(node.content));
            m_safe.push_back({node.isFolder, m_written.back(), node.entries});
        }
    }

    void play(const DiskOperation& operation)
    {
        const auto node = static_cast<std::size_t>(operation.node);
        switch (operation.kind) {
        case Kind::Write:
            m_written[node] = contentOf(m_written[node]->bytes + operation.bytes);
            break;
        case Kind::Empty:
            m_written[node] = contentOf({});
            break;
        case Kind::SyncFile:
            m_safe[node].content = m_written[node];
            break;
        case Kind::Link:
        case Kind::Rename:
        case Kind::Unlink:
            m_pending.push_back(&operation);
            break;
        case Kind::SyncFolder:
            std::erase_if(m_pending, [&](const DiskOperation* pending) {
                const bool concerned =
                    pending->folder == operation.folder ||
                    (pending->kind == Kind::Rename && pending->toFolder == operation.folder);
                if (concerned) {
                    apply(*pending, m_safe);
                }
                return concerned;
            });
            break;
        }
    }

    /// Calls back with every image that is possible now.
    void forEachImage(const std::function<void(CrashImage)>& visit) const
    {
        std::map<std::size_t, std::vector<Content>> unsynced;
        for (std::size_t i = 0; i < m_safe.size(); ++i) {
            if (m_written[i] != m_safe[i].content) {
                unsynced[i] = contentsOf(m_safe[i].content, m_written[i]);
            }
        }
        for (const std::vector<bool>& names : choicesOfNames()) {
            std::vector<Node> nodes = m_safe;
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (names[i]) {
                    apply(*m_pending[i], nodes);
                }
            }
            forEachContent(nodes, unsynced, visit);
        }
    }

private:
    struct Node
    {
        bool isFolder = false;
        Content content;
        std::map<std::string, int> entries;
    };

    static void apply(const DiskOperation& operation, std::vector<Node>& nodes)
    {
        auto& entries = nodes[static_cast<std::size_t>(operation.folder)].entries;
        if (operation.kind == Kind::Link) {
            entries[operation.name] = operation.node;
            return;
        }
        entries.erase(operation.name);
        if (operation.kind == Kind::Rename) {
            nodes[static_cast<std::size_t>(operation.toFolder)].entries[operation.toName] =
                operation.node;
        }
    }

    /// Every subset of a small set; for a large one: every prefix, all but one, and each alone.
    std::vector<std::vector<bool>> choicesOfNames() const
    {
        constexpr std::size_t kFew = 6;
        const std::size_t count = m_pending.size();
        std::vector<std::vector<bool>> choices;
        if (count <= kFew) {
            for (std::size_t mask = 0; mask < (std::size_t{1} << count); ++mask) {
                std::vector<bool> choice(count);
                for (std::size_t i = 0; i < count; ++i) {
                    choice[i] = (mask >> i & 1U) != 0;
                }
                choices.push_back(std::move(choice));
            }
            return choices;
        }
        for (std::size_t i = 0; i <= count; ++i) {
            std::vector<bool> first(count);
            std::fill_n(first.begin(), i, true);
            choices.push_back(std::move(first));
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<bool> allBut(count, true);
            allBut[i] = false;
            choices.push_back(std::move(allBut));
            std::vector<bool> alone(count);
            alone[i] = true;
            choices.push_back(std::move(alone));
        }
        return choices;
    }

    /// The possible contents of an unsynced file.
    static std::vector<Content> contentsOf(const Content& safeContent,
                                           const Content& writtenContent)
    {
        const std::string& safe = safeContent->bytes;
        const std::string& written = writtenContent->bytes;
        std::vector<Content> contents{safeContent, writtenContent};
        if (written.size() <= safe.size()) {
            return contents;
        }
        for (const std::size_t unit : {kSector, kPage}) {
            const std::size_t kept = written.starts_with(safe) ? safe.size() : 0;
            contents.push_back(
                contentOf(written.substr(0, std::max(kept, (written.size() - 1) / unit * unit))));
            // The last unit is present and the first one is not.
            std::string late = written;
            const std::size_t begin = safe.size();
            std::fill_n(late.begin() + static_cast<long>(begin),
                        std::min(unit, late.size() - begin), '\0');
            contents.push_back(contentOf(std::move(late)));
        }
        return contents;
    }

    void forEachContent(std::vector<Node>& nodes,
                        const std::map<std::size_t, std::vector<Content>>& unsynced,
                        const std::function<void(CrashImage)>& visit) const
    {
        visit(imageOf(nodes)); // everything unsynced is lost
        for (const auto& [node, contents] : unsynced) {
            nodes[node].content = m_written[node];
        }
        visit(imageOf(nodes));
        for (const auto& [node, contents] : unsynced) {
            for (const Content& content : contents) {
                nodes[node].content = content;
                visit(imageOf(nodes));
            }
            nodes[node].content = m_written[node];
        }
    }

    static CrashImage imageOf(const std::vector<Node>& nodes)
    {
        CrashImage image;
        const std::function<void(int, const std::string&)> walk = [&](int id,
                                                                      const std::string& path) {
            for (const auto& [name, child] : nodes[static_cast<std::size_t>(id)].entries) {
                const std::string below = path.empty() ? name : path + "/" + name;
                const Node& node = nodes[static_cast<std::size_t>(child)];
                if (node.isFolder) {
                    image.folders.insert(below);
                    walk(child, below);
                } else {
                    image.files[below] = node.content;
                }
            }
        };
        walk(0, "");
        return image;
    }

    std::vector<Node> m_safe;
    std::vector<Content> m_written; ///< as programs see them
    std::vector<const DiskOperation*> m_pending;
};

std::size_t digestOf(const CrashImage& image)
{
    std::size_t digest = 0;
    const std::hash<std::string> hash;
    const auto add = [&](std::size_t more) { digest = digest * 0x9e3779b97f4a7c15ULL + more; };
    for (const auto& [path, content] : image.files) {
        add(hash(path));
        add(content->digest);
    }
    for (const std::string& folder : image.folders) {
        add(hash(folder));
    }
    return digest;
}

} // namespace

void CrashImage::writeTo(const std::string& folder) const
{
    fs::create_directories(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
        fs::remove_all(entry.path());
    }
    for (const std::string& path : folders) {
        fs::create_directories(fs::path(folder) / path);
    }
    for (const auto& [path, content] : files) {
        auto file = storage::realFileSystem().create(storage::joinPath(folder, path));
        if (!file || !(*file)->append(std::string_view(content->bytes)) || !(*file)->close()) {
            std::abort();
        }
    }
}

std::vector<CrashImage> crashImages(const RecordingFileSystem& record, std::size_t limit,
                                    std::size_t& possible)
{
    // The same image after a later operation has to satisfy more.
    std::unordered_map<std::size_t, int> last;
    std::vector<std::size_t> order;
    const auto playAll = [&](const std::function<void(int, CrashImage&)>& visit) {
        Disk disk(record);
        int played = 0;
        do {
            disk.forEachImage([&](CrashImage image) { visit(played, image); });
            if (played < record.count()) {
                disk.play(record.operations()[static_cast<std::size_t>(played)]);
            }
        } while (++played <= record.count());
    };
    playAll([&](int played, const CrashImage& image) {
        const std::size_t digest = digestOf(image);
        if (last.insert_or_assign(digest, played).second) {
            order.push_back(digest);
        }
    });
    possible = order.size();
    std::unordered_map<std::size_t, bool> chosen;
    const double stride = std::max(1.0, static_cast<double>(possible) / static_cast<double>(limit));
    for (double at = 0; at < static_cast<double>(possible); at += stride) {
        chosen[order[static_cast<std::size_t>(at)]] = false;
    }
    std::vector<CrashImage> images;
    playAll([&](int, CrashImage& image) {
        const std::size_t digest = digestOf(image);
        const auto found = chosen.find(digest);
        if (found != chosen.end() && !found->second) {
            found->second = true;
            image.operation = last[digest];
            images.push_back(std::move(image));
        }
    });
    return images;
}

} // namespace cannery::tests
