// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/charts/steps/distribution_card.h"
#include "ui/charts/steps/distribution_pictures.h"
#include "ui/charts/steps/image_card.h"
#include "ui/charts/steps/pr_curve_card.h"
#include "ui/charts/steps/text_card.h"
#include "ui/models/curves/histogram_bins.h"
#include "ui/widgets/style/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QBuffer>
#include <QLabel>
#include <QMouseEvent>
#include <QSlider>
#include <QTest>

#include <cmath>
#include <numeric>

using namespace cannery::tests;
using namespace cannery::ui;

namespace {

HistogramStep uniform(qint64 step, double min, double max, int bins = 10)
{
    HistogramStep histogram;
    histogram.step = step;
    histogram.min = min;
    histogram.max = max;
    histogram.count = 10.0 * bins;
    for (int i = 0; i <= bins; ++i) {
        histogram.edges.push_back(std::lerp(min, max, double(i) / bins));
    }
    histogram.counts.assign(std::size_t(bins), 10.0);
    for (std::size_t i = 0; i < kBoundShares.size(); ++i) {
        histogram.bounds[i] = std::lerp(min, max, kBoundShares[i] / 10000.0);
    }
    return histogram;
}

StepHistory<HistogramStep> drift(int steps)
{
    StepHistory<HistogramStep> history;
    for (int i = 0; i < steps; ++i) {
        history.steps.append(
            std::make_shared<HistogramStep>(uniform(100 * i, -1 + 0.1 * i, 1 + 0.1 * i)));
    }
    history.logged = steps;
    return history;
}

QByteArray png(const QSize& size, QImage::Format format = QImage::Format_RGB32)
{
    QImage image(size, format);
    image.fill(1);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "png");
    return bytes;
}

PrCurveStep curveAt(qint64 step)
{
    return {.step = step,
            .precision = {0.5, 0.75, 1, 0},
            .recall = {1, 0.75, 0.5, 0},
            .truePositives = {4, 3, 2, 0},
            .falsePositives = {4, 1, 0, 0},
            .trueNegatives = {0, 3, 4, 4},
            .falseNegatives = {0, 1, 2, 4}};
}

QString spokenOf(QWidget& card)
{
    return QAccessible::queryAccessibleInterface(&card)->text(QAccessible::Value);
}

} // namespace

class TstStepCards : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }

    void binsKeepTheirCounts();
    void limitsAreNeverEmpty();
    void chosenStepsAreEvenAndHaveTheLast();
    void keysWalkTheSteps();
    void linkedCardsShareTheCursor();
    void thePointerFindsTheStep();
    void bothLooksDrawTheValues_data();
    void bothLooksDrawTheValues();
    void hostileStepsAreDrawn();
    void movingTheCursorDrawsNoCurvesAgain();
    void whatIsNotShownIsSaid();
    void textsFollowTheSlider();
    void imagesOfAnyContentAreShownOrExplained();
    void thresholdsAreReadOut();
};

void TstStepCards::binsKeepTheirCounts()
{
    const std::vector<double> halves = rebinned(uniform(0, 0, 1), {0, 1}, 4);
    for (const double count : halves) {
        QVERIFY(std::abs(count - 25) < 1e-9);
    }
    HistogramStep point = uniform(0, 0.5, 0.5, 1);
    const std::vector<double> one = rebinned(point, {0, 1}, 4);
    QCOMPARE(one, std::vector<double>({0, 0, 10, 0}));
    const std::vector<double> wider = rebinned(uniform(0, -1, 1), {-1, 3}, 7);
    QVERIFY(std::abs(std::accumulate(wider.begin(), wider.end(), 0.0) - 100) < 1e-9);
}

void TstStepCards::limitsAreNeverEmpty()
{
    QVERIFY(!valueLimits({}));
    StepHistory<HistogramStep> history;
    history.steps.append(std::make_shared<HistogramStep>());
    QVERIFY(!valueLimits(history));
    history.steps.append(std::make_shared<HistogramStep>(uniform(1, 3, 3, 1)));
    QVERIFY(valueLimits(history)->min < 3 && valueLimits(history)->max > 3);
    history.steps.append(std::make_shared<HistogramStep>(uniform(2, -1.7e308, 1.7e308, 2)));
    QVERIFY(std::isfinite(valueLimits(history)->max - valueLimits(history)->min));
}

void TstStepCards::chosenStepsAreEvenAndHaveTheLast()
{
    QCOMPARE(evenlyChosen(3, 10), std::vector<qsizetype>({0, 1, 2}));
    QCOMPARE(evenlyChosen(10, 5), std::vector<qsizetype>({1, 3, 5, 7, 9}));
    QCOMPARE(evenlyChosen(500, 200).size(), std::size_t{200});
    QCOMPARE(evenlyChosen(500, 200).back(), 499);
    QVERIFY(evenlyChosen(0, 5).empty());
}

void TstStepCards::keysWalkTheSteps()
{
    DistributionCard card({"eval", "dense/kernel"});
    card.resize(360, 300);
    card.setHistory(drift(30));
    QCOMPARE(card.accessibleName(), QString("eval/dense/kernel"));
    QVERIFY(!card.hasCursor());
    QVERIFY2(card.readout().startsWith("Step 2,900 · 100 values · 1.9"),
             qPrintable(card.readout()));
    QTest::keyClick(&card, Qt::Key_Home);
    QVERIFY2(card.readout().startsWith("Step 0 · "), qPrintable(card.readout()));
    QTest::keyClick(&card, Qt::Key_Right);
    QTest::keyClick(&card, Qt::Key_PageDown);
    QTest::keyClick(&card, Qt::Key_Left);
    QCOMPARE(card.currentStep(), 10);
    QVERIFY2(spokenOf(card).startsWith("Step 1,000 · 100 values"), qPrintable(spokenOf(card)));
    QTest::keyClick(&card, Qt::Key_End);
    QTest::keyClick(&card, Qt::Key_Down);
    QCOMPARE(card.currentStep(), 29);
    QVERIFY(card.hasCursor());
    QTest::keyClick(&card, Qt::Key_Escape);
    QVERIFY(!card.hasCursor());
}

void TstStepCards::linkedCardsShareTheCursor()
{
    ChartLink link;
    DistributionCard one({"", "a"});
    DistributionCard other({"", "b"});
    one.setLink(&link);
    other.setLink(&link);
    one.setHistory(drift(10));
    other.setHistory(drift(4));
    QTest::keyClick(&one, Qt::Key_Home);
    QCOMPARE(other.currentStep(), 0);
    QTest::keyClick(&one, Qt::Key_End);
    QCOMPARE(other.currentStep(), 3); // the nearest that it has
}

void TstStepCards::thePointerFindsTheStep()
{
    for (const auto look : {DistributionCard::Look::Ridges, DistributionCard::Look::Bands}) {
        DistributionCard card({"", "a"});
        card.resize(400, 320);
        card.setHistory(drift(5));
        card.setLook(look);
        card.show();
        QVERIFY(QTest::qWaitForWindowExposed(&card));
        const QRect plot = card.plotRectangle();
        QWidget* viewport = card.childAt(plot.center());
        QVERIFY(viewport);
        const auto hover = [&](const QPoint& where) {
            const QPointF place = viewport->mapFrom(&card, where);
            QMouseEvent move(QEvent::MouseMove, place, viewport->mapToGlobal(place), Qt::NoButton,
                             Qt::NoButton, Qt::NoModifier);
            QApplication::sendEvent(viewport, &move);
            return card.currentStep();
        };
        const bool isRidges = look == DistributionCard::Look::Ridges;
        QCOMPARE(hover(isRidges ? QPoint(plot.center().x(), plot.top() + 2)
                                : QPoint(plot.left() + 2, plot.center().y())),
                 0);
        QCOMPARE(hover(plot.bottomRight() - QPoint(3, 3)), 4);
    }
}

void TstStepCards::bothLooksDrawTheValues_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::newRow("light") << false << 1.0;
    QTest::newRow("dark") << true << 1.0;
    QTest::newRow("text 200 %") << false << 2.0;
}

void TstStepCards::bothLooksDrawTheValues()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    applyTheme(*qApp, {.dark = dark, .textScale = scale});
    for (const auto look : {DistributionCard::Look::Ridges, DistributionCard::Look::Bands}) {
        DistributionCard card({"", "a"});
        card.resize(card.sizeHint());
        card.setHistory(drift(12));
        card.setLook(look);
        const QImage image = card.grab().toImage().convertToFormat(QImage::Format_RGB32);
        const QRect plot = card.plotRectangle();
        const QRgb ground = tokens().surface.rgb();
        // Values drift to the right, or upwards: the last step's corner is drawn, the opposite one
        // of the same step is not.
        const auto inked = [&](double x, double y) {
            int count = 0;
            for (int dx = -3; dx <= 3; ++dx) {
                for (int dy = -3; dy <= 3; ++dy) {
                    const QPoint at(plot.left() + int(x * plot.width()) + dx,
                                    plot.top() + int(y * plot.height()) + dy);
                    count += image.pixel(at) != ground ? 1 : 0;
                }
            }
            return count;
        };
        if (look == DistributionCard::Look::Ridges) {
            QVERIFY(inked(0.75, 0.93) > 40);
            QVERIFY(inked(0.08, 0.72) < 20);
        } else {
            QVERIFY(inked(0.97, 0.4) > 40);
            QVERIFY(inked(0.97, 0.85) < 20);
        }
    }
    applyTheme(*qApp, {});
}

void TstStepCards::hostileStepsAreDrawn()
{
    StepHistory<HistogramStep> history = drift(2);
    history.steps.append(std::make_shared<HistogramStep>());
    history.steps.append(std::make_shared<HistogramStep>(uniform(5000, -1.7e308, 1.7e308, 2)));
    history.steps.append(std::make_shared<HistogramStep>(
        uniform(std::numeric_limits<qint64>::max(), 1e-300, 1e-300, 1)));
    for (const auto look : {DistributionCard::Look::Ridges, DistributionCard::Look::Bands}) {
        for (const QSize size : {QSize(360, 300), QSize(20, 20), QSize(1, 1)}) {
            DistributionCard card({"", "a"});
            card.setHistory(history);
            card.setLook(look);
            card.resize(size);
            QVERIFY(!card.grab().isNull());
            for (int i = 0; i < 5; ++i) {
                QTest::keyClick(&card, Qt::Key_Up);
                QVERIFY(!card.grab().isNull());
            }
        }
    }
}

void TstStepCards::movingTheCursorDrawsNoCurvesAgain()
{
    DistributionCard card({"", "a"});
    card.resize(400, 320);
    card.setHistory(drift(50));
    card.grab();
    const int before = card.paintCount();
    for (int i = 0; i < 5; ++i) {
        QTest::keyClick(&card, Qt::Key_Up);
        card.grab();
    }
    QCOMPARE(card.paintCount(), before);
}

void TstStepCards::whatIsNotShownIsSaid()
{
    QCOMPARE(shownOf(5, 5), QString());
    QCOMPARE(shownOf(375, 3000), QString("375 of 3,000 steps"));
    DistributionCard card({"", "a"});
    card.resize(400, 300);
    StepHistory<HistogramStep> history = drift(500);
    history.logged = 3000;
    card.setHistory(history);
    const auto says = [&](const QString& words) {
        for (const QLabel* label : card.findChildren<QLabel*>()) {
            if (label->text() == words) {
                return true;
            }
        }
        return false;
    };
    const int ridges = RidgePicture::mostRidges(card.plotRectangle().height());
    QVERIFY(ridges < 200);
    QVERIFY(says(shownOf(ridges, 3000)));
    card.setLook(DistributionCard::Look::Bands);
    QVERIFY(says("500 of 3,000 steps"));
}

void TstStepCards::textsFollowTheSlider()
{
    TextCard card({"", "note"});
    StepHistory<TextStep> history;
    history.steps.append(std::make_shared<TextStep>(TextStep{1, 0, "**first**"}));
    history.steps.append(std::make_shared<TextStep>(TextStep{7, 0, "second <img src=x>"}));
    history.logged = 2;
    card.setHistory(history);
    auto* text = card.findChild<QLabel*>("label.text");
    QVERIFY(text->text().contains("second"));
    QVERIFY(!text->text().contains("<img src=x>"));
    auto* slider = card.findChild<QSlider*>("slider.step");
    QCOMPARE(slider->value(), 1);
    QVERIFY(!slider->accessibleName().isEmpty());
    slider->setValue(0);
    QVERIFY(text->text().contains("first"));
    QCOMPARE(card.readout(), QString("Step 1"));
}

void TstStepCards::imagesOfAnyContentAreShownOrExplained()
{
    QCOMPARE(decodeImage(png({6, 8})).image.size(), QSize(6, 8));
    QCOMPARE(decodeImage(png({5000, 10})).image.width(), DecodedImage::kLargestSide);
    QCOMPARE(decodeImage(png({5000, 10})).size, QSize(5000, 10));
    const DecodedImage huge = decodeImage(png({8000, 4001}, QImage::Format_Mono));
    QVERIFY(huge.image.isNull());
    QCOMPARE(huge.problem, QString("8000 × 4001 pixels are too many to show."));
    for (const QByteArray& bytes :
         {QByteArray(), QByteArray("<svg xmlns='http://www.w3.org/2000/svg'/>"),
          png({9, 9}).left(40), QByteArray("\x89PNG\r\n\x1a\n")}) {
        QVERIFY(decodeImage(bytes).image.isNull());
        QVERIFY(decodeImage(bytes).problem.endsWith('.'));
    }
    ImageCard card({"", "picture"});
    card.resize(300, 300);
    StepHistory<ImageStep> history;
    history.steps.append(std::make_shared<ImageStep>(ImageStep{3, 0, {png({6, 8}), "no"}}));
    history.logged = 1;
    card.setHistory(history);
    QTRY_COMPARE_WITH_TIMEOUT(card.images().size(), 2, kPatience);
    QCOMPARE(card.readout(), QString("Step 3 · 2 pictures · 6 × 8 pixels"));
    QVERIFY(!card.grab().isNull());
}

void TstStepCards::thresholdsAreReadOut()
{
    PrCurveCard card({"", "curve"});
    card.resize(360, 300);
    StepHistory<PrCurveStep> history;
    history.steps.append(std::make_shared<PrCurveStep>(curveAt(1)));
    history.steps.append(std::make_shared<PrCurveStep>(curveAt(2)));
    history.logged = 2;
    card.setHistory(history);
    QVERIFY(!card.grab().isNull());
    for (int i = 0; i < 9; ++i) {
        QTest::keyClick(&card, Qt::Key_Up);
    }
    // The last threshold finds no row: it is no point of the curve.
    QVERIFY2(card.readout().startsWith("Step 2 · threshold 0.6667 · precision 1"),
             qPrintable(card.readout()));
    QVERIFY(card.readout().contains("true +2 −4 · false +0 −2"));
    QTest::keyClick(&card, Qt::Key_Left);
    QVERIFY(spokenOf(card).startsWith("Step 1 · threshold 0.6667"));
    QVERIFY(!card.grab().isNull());
}

CANNERY_TEST(TstStepCards)
#include "tst_step_cards.moc"
