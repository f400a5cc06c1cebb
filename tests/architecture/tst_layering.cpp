// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/layering_table.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using cannery::tests::LayeringRow;
using cannery::tests::layeringTable;

namespace {

/// Libraries confined to one group of folders; all other system libraries may be used anywhere.
struct Wrapped
{
    std::string header;
    std::vector<std::string> rooms;
    bool onlyInSources;
};

const std::vector<Wrapped> kWrapped{
    {"Eigen/", {"kernels"}, true},
    {"oneapi/", {"kernels/onednn"}, false},
    {"cub", {"kernels/cuda"}, false},
    {"cuda", {"kernels/cuda"}, false},
    {"sqlite3.h", {"storage/sqlite"}, true},
    {"zlib.h", {"storage/io"}, true},
    {"zip.h", {"storage/io"}, true},
    {"leveldb/", {"storage/tf"}, true},
    {"CLI/", {"app/cannery"}, true},
    {"fast_float/", {"storage/tabular", "core"}, true},
    {"nlohmann/", {"app/cannery", "core", "storage"}, true},
    {"grpc", {"core/control", "core/coordinator", "core/parameters"}, true},
    {"gloo/", {"core/collectives"}, true},
    {"pcre2.h", {"core/base"}, true},
    {"Q", {"ui", "app/workbench"}, false},
};

bool startsWith(const std::string& text, const std::string& prefix)
{
    return text.compare(0, prefix.size(), prefix) == 0;
}

bool isInRoom(const std::string& path, const std::string& room)
{
    return path == room || startsWith(path, room + "/");
}

struct Include
{
    std::string file;
    std::string header;
    bool quoted = false;
};

std::vector<Include> includesOf(const fs::path& root)
{
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<Include> result;
    for (const char* room : {"app", "core", "kernels", "storage", "ui"}) {
        if (!fs::exists(root / room)) {
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
            const std::string extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp" && extension != ".cu") {
                continue;
            }
            std::ifstream stream(entry.path());
            std::string line;
            std::smatch match;
            while (std::getline(stream, line)) {
                if (std::regex_search(line, match, kInclude)) {
                    result.push_back(
                        {fs::relative(entry.path(), root), match[2], match[1].str() == "\""});
                }
            }
        }
    }
    return result;
}

const LayeringRow* layerOf(const std::string& file)
{
    const LayeringRow* best = nullptr;
    for (const LayeringRow& layer : layeringTable()) {
        if (isInRoom(file, layer.room) && (!best || layer.room.size() > best->room.size())) {
            best = &layer;
        }
    }
    return best;
}

/// The room of a header; a header outside of all rooms (app/version.h) stands for itself.
std::string roomOf(const std::string& header)
{
    const LayeringRow* layer = layerOf(header);
    return layer != nullptr ? layer->room : header;
}

bool mayInclude(const LayeringRow& layer, const std::string& header)
{
    const std::string room = roomOf(header);
    return room == layer.room ||
           std::ranges::find(layer.mayInclude, room) != layer.mayInclude.end();
}

} // namespace

class TstLayering : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roomsIncludeOnlyWhatTheDesignAllows();
    void everyEdgeOfTheTableIsUsed();
    void roomsHaveNoCycles();
    void everyRoomHasItsRow();
    void librariesEndInsideTheirRoom();
    void headersNeverCarryWrappedLibraries();
};

void TstLayering::roomsIncludeOnlyWhatTheDesignAllows()
{
    const std::vector<Include> includes = includesOf(CANNERY_SOURCE_DIR);
    QVERIFY(includes.size() > 20);
    QStringList wrong;
    for (const Include& include : includes) {
        if (!include.quoted) {
            continue;
        }
        const LayeringRow* layer = layerOf(include.file);
        if (!layer || !mayInclude(*layer, include.header)) {
            wrong << QString::fromStdString(include.file + " includes " + include.header);
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
}

/// What nothing uses any more is not allowed any more.
void TstLayering::everyEdgeOfTheTableIsUsed()
{
    std::set<std::pair<std::string, std::string>> used;
    for (const Include& include : includesOf(CANNERY_SOURCE_DIR)) {
        if (include.quoted) {
            used.emplace(roomOf(include.file), roomOf(include.header));
        }
    }
    QStringList unused;
    for (const LayeringRow& layer : layeringTable()) {
        for (const std::string& room : layer.mayInclude) {
            if (!used.contains({layer.room, room})) {
                unused << QString::fromStdString(layer.room + " never includes " + room);
            }
        }
    }
    QVERIFY2(unused.isEmpty(), qPrintable(unused.join("\n")));
}

/// Each includes only rooms in the rows before its own.
void TstLayering::roomsHaveNoCycles()
{
    std::set<std::string> before{"app/version.h"};
    for (const LayeringRow& layer : layeringTable()) {
        for (const std::string& room : layer.mayInclude) {
            QVERIFY2(before.contains(room),
                     qPrintable(QString::fromStdString(layer.room + " stands before " + room)));
        }
        before.insert(layer.room);
    }
}

/// A folder with a CMakeLists.txt of its own is a room, and so is each one of app/cannery.
void TstLayering::everyRoomHasItsRow()
{
    std::set<std::string> rows;
    for (const LayeringRow& layer : layeringTable()) {
        rows.insert(layer.room);
        QVERIFY2(fs::is_directory(fs::path(CANNERY_SOURCE_DIR) / layer.room), layer.room.c_str());
    }
    QStringList missing;
    for (const char* group : {"app", "app/cannery", "core", "kernels", "storage", "ui"}) {
        for (const auto& entry : fs::directory_iterator(fs::path(CANNERY_SOURCE_DIR) / group)) {
            const std::string room = fs::relative(entry.path(), CANNERY_SOURCE_DIR);
            if (entry.is_directory() && !rows.contains(room)) {
                missing << QString::fromStdString(room);
            }
        }
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
}

void TstLayering::librariesEndInsideTheirRoom()
{
    QStringList wrong;
    for (const Include& include : includesOf(CANNERY_SOURCE_DIR)) {
        for (const Wrapped& library : kWrapped) {
            if (include.quoted || !startsWith(include.header, library.header)) {
                continue;
            }
            const bool allowed =
                std::any_of(library.rooms.begin(), library.rooms.end(),
                            [&](const std::string& room) { return isInRoom(include.file, room); });
            if (!allowed) {
                wrong << QString::fromStdString(include.file + " includes <" + include.header +
                                                ">");
            }
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
}

void TstLayering::headersNeverCarryWrappedLibraries()
{
    QStringList wrong;
    for (const Include& include : includesOf(CANNERY_SOURCE_DIR)) {
        for (const Wrapped& library : kWrapped) {
            if (library.onlyInSources && !include.quoted &&
                startsWith(include.header, library.header) && include.file.ends_with(".h")) {
                wrong << QString::fromStdString(include.file + " includes <" + include.header +
                                                ">");
            }
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
}

CANNERY_TEST(TstLayering)
#include "tst_layering.moc"
