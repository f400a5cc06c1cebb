// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/workbench/keyboard.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/actions/action_registry.h"
#include "ui/pages/page.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/style/painting.h"

#include <QImage>
#include <QPointer>

#include <functional>

using namespace cannery::tests;
using namespace cannery::ui;

/// On every page with its editors: where the focus goes, in which order, and whether it is visible.
class TstFocus : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void D31_tabGoesInReadingOrder_data() { addPages(); }
    void D31_tabGoesInReadingOrder();
    void D31_theFocusIsSeenInBothThemes_data() { addPages(); }
    void D31_theFocusIsSeenInBothThemes();
    void D31_nextAreaGoesRound_data() { addPages(); }
    void D31_nextAreaGoesRound();

private:
    static void addPages();
    bool enterPage(const QString& page);
    /// The stops of Tab from the page's first one until the focus is there again.
    using Step = std::function<void(QWidget* from, QWidget* to)>;
    QList<QPointer<QWidget>> walk(const Step& step);
    QString areaOf(const QWidget* widget) const;

    std::unique_ptr<WorkbenchFixture> m_bench;
    std::unique_ptr<Keyboard> m_keys;
};

namespace {

constexpr int kLongestRound = 300;
constexpr int kRingOfACell = 100; ///< pixels

QString wordsOf(const QWidget* widget)
{
    QStringList path;
    for (; widget != nullptr && path.size() < 4; widget = widget->parentWidget()) {
        path.prepend(widget->objectName().isEmpty()
                         ? QString::fromLatin1(widget->metaObject()->className()).section("::", -1)
                         : widget->objectName());
    }
    return path.join('/');
}

QList<QWidget*> lineage(QWidget* widget)
{
    QList<QWidget*> line;
    for (; widget != nullptr; widget = widget->parentWidget()) {
        line.prepend(widget);
    }
    return line;
}

/// Ancestors, one of each, that are siblings.
std::pair<QWidget*, QWidget*> siblings(QWidget* a, QWidget* b)
{
    const QList<QWidget*> first = lineage(a);
    const QList<QWidget*> second = lineage(b);
    qsizetype depth = 0;
    while (depth < first.size() && depth < second.size() && first[depth] == second[depth]) {
        ++depth;
    }
    return {first.value(depth, a), second.value(depth, b)};
}

/// Whether `b` comes before `a` when reading from left to right and top to bottom.
bool isBefore(const QWidget* b, const QWidget* a)
{
    constexpr int kRounding = 3;
    const QRect first = a->geometry();
    const QRect second = b->geometry();
    const bool isAbove = second.bottom() <= first.top() + kRounding;
    const int shared =
        std::min(first.bottom(), second.bottom()) - std::max(first.top(), second.top());
    const bool isSameLine = shared * 2 > std::min(first.height(), second.height());
    return (isAbove && second.left() < first.right()) ||
           (isSameLine && second.right() <= first.left() + kRounding);
}

/// Parts that are one tab stop, with arrow keys inside.
QWidget* groupOf(QWidget* widget)
{
    if (widget->objectName().startsWith("rail.") && widget->inherits("cannery::ui::RailItem")) {
        return widget->parentWidget();
    }
    for (; widget != nullptr; widget = widget->parentWidget()) {
        if (widget->inherits("cannery::ui::Segmented") ||
            widget->inherits("cannery::ui::TileGallery")) {
            return widget;
        }
    }
    return nullptr;
}

/// Pixels with the contrast that a focus mark needs (WCAG 2: 3 to 1).
int seenDifferences(const QImage& a, const QImage& b)
{
    constexpr double kSeen = 3;
    int count = 0;
    for (int y = 0; y < std::min(a.height(), b.height()); ++y) {
        for (int x = 0; x < std::min(a.width(), b.width()); ++x) {
            const QColor one = a.pixelColor(x, y);
            const QColor other = b.pixelColor(x, y);
            count += one != other && contrast(one, other) >= kSeen ? 1 : 0;
        }
    }
    return count;
}

QImage pictureOf(QWidget& widget)
{
    return widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

} // namespace

void TstFocus::initTestCase()
{
    m_bench = std::make_unique<WorkbenchFixture>();
    m_bench->open();
    m_bench->session().settings().setReducesMotion(true);
    m_bench->window().resize(1440, 900);
    m_keys = std::make_unique<Keyboard>();
    QVERIFY(m_bench->openSample("titanic"));
    QVERIFY(m_bench->trigger("action.train"));
    QVERIFY(m_bench->waitForState(RunState::Finished));
}

void TstFocus::cleanupTestCase()
{
    m_bench.reset();
}

void TstFocus::addPages()
{
    QTest::addColumn<QString>("page");
    for (const char* page : {"home", "data", "features", "model", "train", "runs", "export"}) {
        QTest::newRow(page) << QString(page);
    }
}

QString TstFocus::areaOf(const QWidget* widget) const
{
    for (const char* area : {"rail", "pages", "inspector", "drawer", "status_line", "menu_row"}) {
        const auto* one = m_bench->window().findChild<QWidget*>(area);
        if (one != nullptr && (one == widget || one->isAncestorOf(widget))) {
            return area;
        }
    }
    return {};
}

bool TstFocus::enterPage(const QString& page)
{
    m_bench->window().navigate(page);
    QTest::qWait(200); // the editors change once the engine has read the table
    for (int i = 0; i < 8; ++i) {
        if (areaOf(QApplication::focusWidget()) == "pages") {
            return true;
        }
        m_keys->press(Qt::Key_F6);
    }
    return false;
}

QList<QPointer<QWidget>> TstFocus::walk(const Step& step)
{
    QList<QPointer<QWidget>> stops;
    QWidget* first = QApplication::focusWidget();
    do {
        const QPointer<QWidget> from = QApplication::focusWidget();
        stops.append(from);
        m_keys->press(Qt::Key_Tab);
        if (from && QApplication::focusWidget() != first) { // charts out of sight are taken down
            step(from, QApplication::focusWidget());
        }
    } while (QApplication::focusWidget() != first && stops.size() < kLongestRound);
    return stops;
}

void TstFocus::D31_tabGoesInReadingOrder()
{
    QFETCH(QString, page);
    QVERIFY2(enterPage(page), qPrintable(Keyboard::focusWords()));
    QStringList faults;
    QList<QPointer<QWidget>> left;
    QList<QPointer<QWidget>> groups;
    const auto stops = walk([&](QWidget* from, QWidget* to) {
        QWidget* group = groupOf(from);
        if (group != nullptr && groups.contains(group)) {
            faults << "a second stop in one group: " + wordsOf(from);
        }
        groups.append(group);
        if (areaOf(from) != areaOf(to)) {
            return;
        }
        const auto [before, after] = siblings(from, to);
        if (!from->isAncestorOf(to) && isBefore(after, before)) {
            faults << wordsOf(from) + " then, before it, " + wordsOf(to);
        }
        for (QWidget* part : lineage(from)) {
            if (!part->isAncestorOf(to) && part != to) {
                left.append(part);
            }
        }
        for (QWidget* part : lineage(to)) {
            if (left.contains(part)) {
                faults << "back into what was left: " + wordsOf(to);
                break;
            }
        }
    });
    QVERIFY2(stops.size() < kLongestRound, "the focus never comes back");
    QVERIFY2(faults.isEmpty(), qPrintable('\n' + faults.join('\n')));
}

void TstFocus::D31_theFocusIsSeenInBothThemes()
{
    QFETCH(QString, page);
    QStringList faults;
    for (const auto theme : {Settings::ThemeChoice::Light, Settings::ThemeChoice::Dark}) {
        m_bench->session().settings().setTheme(theme);
        QVERIFY(enterPage(page));
        for (const QPointer<QWidget>& stop : walk([](QWidget*, QWidget*) {})) {
            if (!stop || !stop->isVisible()) {
                continue;
            }
            stop->setFocus(Qt::TabFocusReason);
            const QImage with = pictureOf(*stop);
            stop->clearFocus();
            const int seen = seenDifferences(with, pictureOf(*stop));
            if (seen < std::min({with.width(), with.height(), kRingOfACell})) {
                faults << QString("%1: %2 pixels of %3 × %4")
                              .arg(wordsOf(stop))
                              .arg(seen)
                              .arg(with.width())
                              .arg(with.height());
            }
        }
        m_bench->window().activateWindow();
        if (QApplication::focusWidget() == nullptr) {
            m_bench->find("rail." + page)->setFocus();
        }
    }
    faults.removeDuplicates();
    QVERIFY2(faults.isEmpty(), qPrintable('\n' + faults.join('\n')));
}

/// From the page through every open area and back, forwards and backwards.
void TstFocus::D31_nextAreaGoesRound()
{
    QFETCH(QString, page);
    m_bench->trigger("action.jobs");
    QVERIFY(enterPage(page));
    QStringList forwards;
    do {
        forwards << areaOf(QApplication::focusWidget());
        m_keys->press(Qt::Key_F6);
    } while (areaOf(QApplication::focusWidget()) != "pages" && forwards.size() < 8);
    QStringList expected{"pages", "inspector", "drawer", "status_line", "menu_row", "rail"};
    if (m_bench->action("action.inspector")->isChecked()) {
        QCOMPARE(forwards, expected);
    } else {
        expected.removeAll("inspector");
        QCOMPARE(forwards, expected);
    }
    QStringList backwards{"pages"};
    m_keys->press(Qt::Key_F6, Qt::ShiftModifier);
    while (areaOf(QApplication::focusWidget()) != "pages" && backwards.size() < 8) {
        backwards.insert(1, areaOf(QApplication::focusWidget()));
        m_keys->press(Qt::Key_F6, Qt::ShiftModifier);
    }
    QCOMPARE(backwards, expected);
    m_bench->trigger("action.jobs");
}

CANNERY_TEST(TstFocus)
#include "tst_focus.moc"
