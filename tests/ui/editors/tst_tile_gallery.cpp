// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/editors/tile_gallery.h"
#include "ui/editors/topology_sketch.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QImage>
#include <QPainter>
#include <QTest>

using cannery::tests::kPatience;
using cannery::ui::paintTopology;
using cannery::ui::TileGallery;
using cannery::ui::Topology;
using Sketch = TileGallery::Sketch;

/// The tiles of a choice, as they look.
class TstTileGallery : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup();
    void everySketchIsItsOwnAndStaysInItsPlace_data();
    void everySketchIsItsOwnAndStaysInItsPlace();
    void everyTopologyIsItsOwnAndStaysInItsPlace();
    void theChosenTileStandsForAll();
    void aFoldedTileTakesTheWidth_data() { everySketchIsItsOwnAndStaysInItsPlace_data(); }
    void aFoldedTileTakesTheWidth();

private:
    static QList<TileGallery::Tile> sixTiles();
    static QAbstractButton* face(const TileGallery& gallery, const char* id)
    {
        return gallery.findChild<QAbstractButton*>(QStringLiteral("tile.") + QLatin1String(id));
    }
    /// The ids of the tiles that are shown.
    static QString shown(const TileGallery& gallery);
};

namespace {

const QList<Sketch>& sketches()
{
    static const QList<Sketch> kSketches{Sketch::Average, Sketch::Line,  Sketch::Network,
                                         Sketch::Both,    Sketch::Trees, Sketch::Groups,
                                         Sketch::Steps,   Sketch::Device};
    return kSketches;
}

QApplication& app()
{
    return *qobject_cast<QApplication*>(qApp);
}

/// Pixels that stand out from their ground as a picture must by WCAG 2 (3 : 1).
int clearPixels(const QImage& picture)
{
    const QColor ground = picture.pixelColor(0, 0);
    int count = 0;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            count += cannery::ui::contrast(picture.pixelColor(x, y), ground) >= 3 ? 1 : 0;
        }
    }
    return count;
}

} // namespace

void TstTileGallery::cleanup()
{
    cannery::ui::applyTheme(app(), {});
}

void TstTileGallery::everySketchIsItsOwnAndStaysInItsPlace_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << false << 1.0;
    QTest::newRow("dark") << true << 1.0;
    QTest::newRow("light_200") << false << 2.0;
    QTest::newRow("dark_200") << true << 2.0;
}

/// All tiles say the same, so that only their sketches differ.
void TstTileGallery::everySketchIsItsOwnAndStaysInItsPlace()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    cannery::ui::applyTheme(app(), {.dark = dark, .textScale = scale});
    TileGallery gallery(170);
    QList<TileGallery::Tile> tiles;
    for (const Sketch sketch : sketches()) {
        tiles.append({.id = QString::number(int(sketch)),
                      .title = "A model",
                      .sentence = "What it does.",
                      .sketch = sketch});
    }
    gallery.setTiles(tiles);
    gallery.resize(cannery::ui::scaled(800), cannery::ui::scaled(260));
    gallery.show();
    QVERIFY(QTest::qWaitForWindowExposed(&gallery, kPatience));
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/editors");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(gallery.grab().save(folder + "/tiles-" + QTest::currentDataTag() + ".png"));
    const QRect place(cannery::ui::scaled(12), cannery::ui::scaled(12), cannery::ui::scaled(52),
                      cannery::ui::scaled(30));
    QList<QImage> drawn;
    QImage around;
    for (const TileGallery::Tile& tile : std::as_const(tiles)) {
        auto* face = gallery.findChild<QAbstractButton*>("tile." + tile.id);
        QVERIFY(face);
        // Neither focus nor the mouse nor a column's odd pixel is part of the comparison.
        face->clearFocus();
        face->setAttribute(Qt::WA_UnderMouse, false);
        face->resize(cannery::ui::scaled(170), cannery::ui::scaled(100));
        QImage picture = face->grab().toImage();
        const QImage sketch = picture.copy(place);
        QVERIFY2(clearPixels(sketch) > 20, qPrintable(tile.id));
        QVERIFY2(!drawn.contains(sketch), qPrintable(tile.id));
        drawn.append(sketch);
        for (int y = place.top(); y <= place.bottom(); ++y) {
            for (int x = place.left(); x <= place.right(); ++x) {
                picture.setPixelColor(x, y, Qt::black);
            }
        }
        QVERIFY2(around.isNull() || picture == around, qPrintable(tile.id));
        around = picture;
    }
}

void TstTileGallery::everyTopologyIsItsOwnAndStaysInItsPlace()
{
    using Kind = Topology::Kind;
    const QSize room(cannery::ui::scaled(140), cannery::ui::scaled(50));
    const QRect place(cannery::ui::scaled(10), cannery::ui::scaled(10), cannery::ui::scaled(120),
                      cannery::ui::scaled(30));
    QList<QImage> drawn;
    for (const Topology& topology :
         {Topology{}, Topology{Kind::Mirrored, 1}, Topology{Kind::Mirrored, 2},
          Topology{Kind::Mirrored, 4}, Topology{Kind::Central, 1}, Topology{Kind::Central, 2},
          Topology{Kind::Machines, 1}, Topology{Kind::Machines, 3}, Topology{Kind::Servers, 2, 1},
          Topology{Kind::Servers, 2, 2}}) {
        QImage picture(room, QImage::Format_RGB32);
        picture.fill(Qt::white);
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        paintTopology(painter, topology, place, Qt::black);
        painter.end();
        QVERIFY(clearPixels(picture) > 20);
        QVERIFY(!drawn.contains(picture));
        drawn.append(picture);
        painter.begin(&picture);
        painter.fillRect(place, Qt::white);
        painter.end();
        QCOMPARE(clearPixels(picture), 0);
    }
    QCOMPARE(drawn.size(), 10);
}

/// Six tiles, a to f.
QList<TileGallery::Tile> TstTileGallery::sixTiles()
{
    QList<TileGallery::Tile> tiles;
    for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
        tiles.append({.id = id,
                      .title = QString("Model %1").arg(id),
                      .sentence = "Says what it does in some words, which take their room.",
                      .sketch = Sketch::Network});
    }
    return tiles;
}

QString TstTileGallery::shown(const TileGallery& gallery)
{
    QString ids;
    for (const TileGallery::Tile& tile : sixTiles()) {
        ids += face(gallery, qPrintable(tile.id))->isVisible() ? tile.id : QString();
    }
    return ids;
}

/// With the mouse and with keys.
void TstTileGallery::theChosenTileStandsForAll()
{
    TileGallery gallery(170);
    QStringList chosen;
    connect(&gallery, &TileGallery::chosen, &gallery, [&](const QString& id) {
        chosen << id;
        gallery.setCurrent(id);
    });
    gallery.setFolding();
    gallery.setTiles(sixTiles());
    gallery.resize(cannery::ui::scaled(700), gallery.heightForWidth(cannery::ui::scaled(700)));
    gallery.show();
    QVERIFY(QTest::qWaitForWindowActive(&gallery, kPatience));
    QCOMPARE(shown(gallery), "abcdef"); // nothing is chosen yet
    const int allHeight = gallery.heightForWidth(gallery.width());
    QTest::mouseClick(face(gallery, "c"), Qt::LeftButton);
    QCOMPARE(chosen, QStringList{"c"});
    QCOMPARE(shown(gallery), "c");
    QVERIFY(gallery.heightForWidth(gallery.width()) * 3 < allHeight);
    // Pressing it chooses nothing.
    QTest::mouseClick(face(gallery, "c"), Qt::LeftButton);
    QCOMPARE(shown(gallery), "abcdef");
    QCOMPARE(chosen.size(), 1);
    QTest::keyClick(face(gallery, "c"), Qt::Key_Escape);
    QCOMPARE(shown(gallery), "c");
    QVERIFY(face(gallery, "c")->hasFocus());
    QTest::keyClick(face(gallery, "c"), Qt::Key_Space);
    QTest::keyClick(face(gallery, "c"), Qt::Key_Right);
    QVERIFY(face(gallery, "d")->hasFocus());
    QTest::keyClick(face(gallery, "d"), Qt::Key_Return);
    QCOMPARE(chosen, (QStringList{"c", "d"}));
    QCOMPARE(shown(gallery), "d");
    QVERIFY(face(gallery, "d")->hasFocus());
    // Another that is chosen elsewhere (an undo) stays folded.
    gallery.setCurrent("a");
    QCOMPARE(shown(gallery), "a");
    gallery.setCurrent({});
    QCOMPARE(shown(gallery), "abcdef");
}

/// Wide as on the page and narrow as in the inspector.
void TstTileGallery::aFoldedTileTakesTheWidth()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    cannery::ui::applyTheme(app(), {.dark = dark, .textScale = scale});
    TileGallery gallery(170);
    gallery.setFolding();
    gallery.setTiles(sixTiles());
    gallery.setCurrent("c");
    gallery.show();
    QVERIFY(QTest::qWaitForWindowExposed(&gallery, kPatience));
    const QString folder = QStringLiteral(CANNERY_BINARY_DIR "/screenshots/editors");
    QVERIFY(QDir().mkpath(folder));
    for (const int width : {700, 220}) {
        gallery.resize(cannery::ui::scaled(width),
                       gallery.heightForWidth(cannery::ui::scaled(width)));
        QCoreApplication::processEvents();
        QCOMPARE(face(gallery, "c")->width(), gallery.width());
        QVERIFY(gallery.grab().save(QString("%1/tile-folded-%2-%3.png")
                                        .arg(folder)
                                        .arg(width)
                                        .arg(QTest::currentDataTag())));
    }
}

CANNERY_TEST(TstTileGallery)
#include "tst_tile_gallery.moc"
