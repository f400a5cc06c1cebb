// SPDX-License-Identifier: Apache-2.0
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

namespace {

/// One group of rooms and the rooms it may include besides itself. The longest prefix decides.
struct Layer
{
    std::string room;
    std::vector<std::string> mayInclude;
};

const std::vector<std::string> kFamilies{
    "core/base",  "core/spec",    "core/graph",      "core/layers",    "core/losses",
    "core/heads", "core/metrics", "core/optimizers", "core/schedules", "kernels"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const std::vector<std::string> kUpper =
    kFamilies + std::vector<std::string>{"core/data", "core/features",   "storage",
                                         "core/plan", "core/estimators", "core/export",
                                         "core/train"};

/// The table of the design, chapter "Folders and who may know whom".
const std::vector<Layer> kLayers{
    {"core/base", {}},
    {"kernels", {"core/base"}},
    {"storage", {"core/base"}},
    {"core/spec", {"core/base"}},
    {"core/data", {"core/base", "core/spec", "storage"}},
    {"core/features", {"core/base", "core/spec", "storage", "core/data"}},
    {"core/graph", {"core/base", "core/spec"}},
    {"core/losses", kFamilies},
    {"core/metrics", kFamilies},
    {"core/optimizers", kFamilies},
    {"core/schedules", kFamilies},
    {"core/layers", kFamilies + std::vector<std::string>{"storage/tf"}},
    {"core/heads", kFamilies + std::vector<std::string>{"storage/tf"}},
    {"core/plan", kUpper},
    {"core/estimators", kUpper},
    {"core/export", kUpper},
    {"core/train", kUpper},
    {"core/control", {"core/base", "core/spec", "storage/io"}},
    {"ui/models", {"core/base", "storage/runs", "storage/tf"}},
    {"ui/document", {"core/base", "core/spec", "storage/io", "ui/models"}},
    {"ui/services",
     {"core/base", "core/control", "storage/runs", "storage/tf", "storage/io", "ui/models",
      "ui/document"}},
    {"ui/actions", {"core/base", "ui/models", "ui/services"}},
    {"ui/widgets", {"core/base", "ui/models"}},
    {"ui/charts", {"core/base", "ui/models", "ui/widgets"}},
    {"ui/pages",
     {"core/base", "ui/models", "ui/document", "ui/services", "ui/actions", "ui/widgets",
      "ui/charts"}},
    {"ui/frame",
     {"core/base", "ui/models", "ui/document", "ui/services", "ui/actions", "ui/widgets",
      "ui/charts", "ui/pages"}},
    {"app/cannery", {"app/version.h", "core", "kernels", "storage"}},
    {"app/workbench",
     {"app/version.h", "core/base", "core/spec", "core/control", "storage/runs", "ui"}},
};

/// Libraries that end inside one group of rooms; everything else of the system is free to use.
struct Wrapped
{
    std::string header;
    std::vector<std::string> rooms;
    bool onlyInSources;
};

const std::vector<Wrapped> kWrapped{
    {"Eigen/", {"kernels"}, true},
    {"sqlite3.h", {"storage/sqlite"}, true},
    {"zlib.h", {"storage/io"}, true},
    {"leveldb/", {"storage/tf"}, true},
    {"CLI/", {"app/cannery"}, true},
    {"fast_float/", {"storage/tabular", "core"}, true},
    {"nlohmann/", {"app/cannery", "core", "storage"}, true},
    {"grpc", {"core/control"}, true},
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

const Layer* layerOf(const std::string& file)
{
    const Layer* best = nullptr;
    for (const Layer& layer : kLayers) {
        if (isInRoom(file, layer.room) && (!best || layer.room.size() > best->room.size())) {
            best = &layer;
        }
    }
    return best;
}

bool mayInclude(const Layer& layer, const std::string& header)
{
    return isInRoom(header, layer.room) ||
           std::any_of(layer.mayInclude.begin(), layer.mayInclude.end(),
                       [&](const std::string& room) { return isInRoom(header, room); });
}

} // namespace

class TstLayering : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void roomsIncludeOnlyWhatTheDesignAllows();
    void everyRoomOfTheRulesIsThere();
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
        const Layer* layer = layerOf(include.file);
        if (!layer || !mayInclude(*layer, include.header)) {
            wrong << QString::fromStdString(include.file + " includes " + include.header);
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
}

void TstLayering::everyRoomOfTheRulesIsThere()
{
    for (const Layer& layer : kLayers) {
        QVERIFY2(fs::is_directory(fs::path(CANNERY_SOURCE_DIR) / layer.room), layer.room.c_str());
        for (const std::string& room : layer.mayInclude) {
            QVERIFY2(fs::exists(fs::path(CANNERY_SOURCE_DIR) / room), room.c_str());
        }
    }
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
