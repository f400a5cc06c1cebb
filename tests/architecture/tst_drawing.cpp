// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/layering_table.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTest>

#include <algorithm>

using cannery::tests::LayeringRow;
using cannery::tests::layeringTable;

/// resources/help/architecture.svg is drawn from the table used by tst_layering. The rooms of
/// kernels, storage and app/cannery share a box; arrows that follow from others are omitted.
class TstDrawing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void drawingOfTheArchitectureIsCurrent();
};

namespace {

constexpr const char* kFile = CANNERY_SOURCE_DIR "/resources/help/architecture.svg";
constexpr int kBoxWidth = 132;
constexpr int kBoxPadding = 10;
constexpr int kBoxHeight = 38;
constexpr int kGapAcross = 22;
constexpr int kGapDown = 58;
constexpr int kMargin = 24;

using Edges = std::vector<std::vector<bool>>;

/// True if `outer` is `room` or contains it.
bool holds(const std::string& outer, const std::string& room)
{
    return room == outer || room.compare(0, outer.size() + 1, outer + "/") == 0;
}

/// The box of a room.
std::string groupOf(const std::string& room)
{
    for (const char* group : {"app/cannery", "kernels", "storage"}) {
        if (holds(group, room)) {
            return group;
        }
    }
    return room;
}

/// The table with a row for each box.
std::vector<LayeringRow> groupedTable()
{
    std::vector<LayeringRow> groups;
    for (const LayeringRow& layer : layeringTable()) {
        const std::string group = groupOf(layer.room);
        auto row = std::ranges::find(groups, group, &LayeringRow::room);
        if (row == groups.end()) {
            row = groups.insert(row, {group, {}});
        }
        for (const std::string& room : layer.mayInclude) {
            if (groupOf(room) != group && room != "app/version.h") {
                row->mayInclude.push_back(groupOf(room));
            }
        }
    }
    return groups;
}

const std::vector<LayeringRow>& drawnTable()
{
    static const std::vector<LayeringRow> kGroups = groupedTable();
    return kGroups;
}

/// What each layer may include, directly or indirectly.
Edges reachable()
{
    const std::size_t count = drawnTable().size();
    Edges edges(count, std::vector<bool>(count, false));
    for (std::size_t from = 0; from < count; ++from) {
        for (const std::string& room : drawnTable()[from].mayInclude) {
            for (std::size_t to = 0; to < count; ++to) {
                const std::string& other = drawnTable()[to].room;
                edges[from][to] = edges[from][to] || room == other;
            }
        }
    }
    for (std::size_t via = 0; via < count; ++via) {
        for (std::size_t from = 0; from < count; ++from) {
            for (std::size_t to = 0; to < count; ++to) {
                edges[from][to] = edges[from][to] || (edges[from][via] && edges[via][to]);
            }
        }
    }
    return edges;
}

struct Box
{
    std::string room;
    std::vector<std::size_t> below; ///< boxes with an arrow to them
    int level = 0;                  ///< the longest path to the bottom
    int left = 0;
    int top = 0;
};

/// From the bottom up, like the table.
std::vector<Box> boxes()
{
    std::vector<Box> result;
    for (const LayeringRow& row : drawnTable()) {
        result.push_back({.room = row.room, .below = {}});
    }
    return result;
}

void connectBoxes(std::vector<Box>& all, const Edges& reach)
{
    const auto reaches = [&](std::size_t from, std::size_t to) {
        return from != to && reach[from][to];
    };
    for (std::size_t from = 0; from < all.size(); ++from) {
        for (std::size_t to = 0; to < all.size(); ++to) {
            bool direct = reaches(from, to);
            for (std::size_t via = 0; via < all.size() && direct; ++via) {
                direct = !(reaches(from, via) && reaches(via, to));
            }
            if (direct) {
                all[from].below.push_back(to);
            }
        }
    }
    for (std::size_t round = 0; round < all.size(); ++round) {
        for (Box& box : all) {
            for (const std::size_t below : box.below) {
                box.level = std::max(box.level, all[below].level + 1);
            }
        }
    }
}

bool isOfWindow(const Box& box)
{
    return holds("ui", box.room) || box.room == "app/workbench";
}

/// The most boxes of the engine in a row.
int engineColumns(const std::vector<Box>& all)
{
    std::vector<int> counts(all.size() + 1, 0);
    for (const Box& box : all) {
        counts[static_cast<std::size_t>(box.level)] += isOfWindow(box) ? 0 : 1;
    }
    return *std::ranges::max_element(counts);
}

/// Rows by level, the highest at the top. Returns the size of the drawing.
std::pair<int, int> placeBoxes(std::vector<Box>& all)
{
    const int columnsOfEngine = engineColumns(all); // the window's boxes are right of them
    int levels = 0;
    for (const Box& box : all) {
        levels = std::max(levels, box.level + 1);
    }
    int top = kMargin;
    int columns = 0;
    for (int level = levels - 1; level >= 0; --level) {
        int engine = 0;
        int window = 0;
        for (Box& box : all) {
            if (box.level == level) {
                const int column = isOfWindow(box) ? columnsOfEngine + window++ : engine++;
                columns = std::max(columns, column + 1);
                box.left = kMargin + column * (kBoxWidth + kGapAcross);
                box.top = top;
            }
        }
        top += kBoxHeight + kGapDown;
    }
    return {columns * (kBoxWidth + kGapAcross) - kGapAcross + 2 * kMargin,
            top - kGapDown + kMargin};
}

QString colourOf(const std::string& room)
{
    if (holds("ui", room)) {
        return "#dbe7fb";
    }
    if (holds("app", room)) {
        return "#e9e2f6";
    }
    return holds("core", room) ? "#dff1e3" : "#f8ead2";
}

QString arrow(const Box& from, const Box& to)
{
    const int startX = from.left + kBoxWidth / 2;
    const int startY = from.top + kBoxHeight;
    const int endX = to.left + kBoxWidth / 2;
    const int bend = kGapDown / 2;
    return QString("<path d=\"M%1 %2C%1 %3 %4 %5 %4 %6\" fill=\"none\" stroke=\"#8a94a6\" "
                   "stroke-width=\"1.2\" marker-end=\"url(#tip)\"/>\n")
        .arg(startX)
        .arg(startY)
        .arg(startY + bend)
        .arg(endX)
        .arg(to.top - bend)
        .arg(to.top - 2);
}

QString picture(const Box& box)
{
    QString svg = QString("<rect x=\"%1\" y=\"%2\" width=\"%3\" height=\"%4\" rx=\"6\" "
                          "fill=\"%5\" stroke=\"#8a94a6\"/>\n")
                      .arg(box.left)
                      .arg(box.top)
                      .arg(kBoxWidth)
                      .arg(kBoxHeight)
                      .arg(colourOf(box.room));
    svg += QString("<text x=\"%1\" y=\"%2\" text-anchor=\"middle\">%3</text>\n")
               .arg(box.left + kBoxWidth / 2)
               .arg(box.top + kBoxPadding + 13)
               .arg(QString::fromStdString(box.room));
    return svg;
}

QString drawing()
{
    const Edges reach = reachable();
    std::vector<Box> all = boxes();
    connectBoxes(all, reach);
    const auto [width, height] = placeBoxes(all);
    QString svg =
        QString("<!-- Drawn by tst_drawing from tests/architecture/layering_table.cpp. -->\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" height=\"%2\" "
                "font-family=\"sans-serif\" font-size=\"13\">\n"
                "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
                "<path d=\"M0 0L8 4L0 8z\" fill=\"#8a94a6\"/></marker></defs>\n"
                "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n")
            .arg(width)
            .arg(height);
    for (const Box& box : all) {
        for (const std::size_t below : box.below) {
            svg += arrow(box, all[below]);
        }
    }
    for (const Box& box : all) {
        svg += picture(box);
    }
    return svg + "</svg>\n";
}

} // namespace

void TstDrawing::drawingOfTheArchitectureIsCurrent()
{
    const QString wanted = drawing();
    QFile file(kFile);
    if (qEnvironmentVariableIsSet("CANNERY_UPDATE_DRAWING")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(wanted.toUtf8());
        file.close();
    }
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(QString::fromUtf8(file.readAll()) == wanted,
             "The table of layers is other than resources/help/architecture.svg: run this test "
             "with CANNERY_UPDATE_DRAWING=1.");
}

CANNERY_TEST(TstDrawing)
#include "tst_drawing.moc"
