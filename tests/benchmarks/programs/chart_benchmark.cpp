// SPDX-License-Identifier: Apache-2.0
// Processor time of frames as a person pans and zooms, beside a raw drawLines of as many vertices:
//   chart_benchmark [cards|one|runs|all] [POINTS]
// Everything is drawn into pictures in memory: QT_QPA_PLATFORM=offscreen.

#include "tests/ui/charts/scripted_series.h"
#include "ui/charts/curves/chart_canvas.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/charts/repaint_clock.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QFile>
#include <QGridLayout>
#include <QPainter>
#include <QPixmap>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>

#include <time.h>

using namespace cannery::ui;
using cannery::tests::ScriptedSeries;

namespace {

using Pool = std::vector<std::unique_ptr<ScriptedSeries>>;

/// Milliseconds of the processor that this thread took: what others do on the machine stays out.
double threadTime()
{
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return double(spent.tv_sec) * 1e3 + double(spent.tv_nsec) / 1e6;
}

/// Every repaint at once: each measured frame is a whole one.
class AtOnce : public TimeSource
{
public:
    qint64 now() const override { return m_now; }
    void callAfter(QObject*, int, std::function<void()> call) override { call(); }
    void nextFrame() { m_now += 1000; }

private:
    qint64 m_now = 1000;
};

Pool makeSeries(int count, int points)
{
    std::mt19937 random(1);
    Pool pool;
    for (int i = 0; i < count; ++i) {
        pool.push_back(std::make_unique<ScriptedSeries>(
            SeriesKey{QString("run-%1").arg(i), QString(), QString("loss")}));
        for (int at = 0; at < points; ++at) {
            const double noise = double(random() & 0xffff) / 65536.0;
            pool.back()->add(at,
                             float(0.3 + 0.01 * i + std::exp(-at / (points / 6.0)) + 0.2 * noise));
        }
        pool.back()->publish();
    }
    return pool;
}

Curve curveOf(const ScriptedSeries& series, int slot)
{
    Curve curve;
    curve.series = &series;
    curve.run = curve.label = series.key().run;
    curve.colourSlot = slot % 16;
    return curve;
}

double median(std::vector<double> times, double share = 0.5)
{
    std::ranges::sort(times);
    return times[size_t(share * double(times.size() - 1))];
}

qint64 residentKilobytes()
{
    QFile status("/proc/self/statm");
    const bool isOpen = status.open(QIODevice::ReadOnly);
    return isOpen ? status.readAll().split(' ').value(1).toLongLong() * 4 : 0;
}

/// The same number of vertices, as one pixel wide lines up and down a picture of the window.
double rawLines(const QSize& size, int vertices)
{
    QImage image(size, QImage::Format_RGB32);
    QList<QLineF> lines;
    for (int i = 0; i < vertices / 2; ++i) {
        const double x = i % size.width();
        const double y = (i * 37) % (size.height() / 2);
        lines.emplaceBack(x, y, x, y + 40);
    }
    std::vector<double> times;
    for (int i = 0; i < 31; ++i) {
        const double start = threadTime();
        QPainter painter(&image);
        painter.setPen(QPen(Qt::blue, 1));
        painter.drawLines(lines);
        painter.end();
        times.push_back(threadTime() - start);
    }
    return median(times);
}

void measure(const char* name, int cards, int curvesEach, int points, const QSize& size)
{
    const Pool pool = makeSeries(cards * curvesEach, points);
    QWidget window;
    window.resize(size);
    auto* grid = new QGridLayout(&window);
    AtOnce time;
    std::vector<ChartCard*> all;
    for (int i = 0; i < cards; ++i) {
        auto* card = new ChartCard(ChartCard::Size::Normal, &window);
        QList<Curve> curves;
        for (int j = 0; j < curvesEach; ++j) {
            curves += curveOf(*pool[size_t(i * curvesEach + j)], j);
        }
        card->setTimeSource(&time);
        card->header().setTitle(QString("loss"));
        card->setCurves(curves);
        grid->addWidget(card, i / 4, i % 4);
        all.push_back(card);
    }
    window.show();
    QApplication::processEvents();
    std::vector<double> times;
    for (int frame = 0; frame < 60; ++frame) {
        // Out and in again between everything and a fiftieth, sliding along.
        const double share = 0.02 + 0.98 * std::fabs(1 - frame / 30.0);
        const double begin = (1 - share) * frame / 60.0 * points;
        time.nextFrame();
        const double start = threadTime();
        for (ChartCard* card : all) {
            ChartOptions options = card->options();
            options.xLimits = AxisLimits{begin, begin + share * points};
            card->setOptions(options);
        }
        const QPixmap picture = window.grab();
        times.push_back(threadTime() - start);
    }
    int vertices = 0;
    for (const ChartCard* card : all) {
        vertices += card->canvas().vertexCount();
    }
    std::vector<double> still;
    for (int frame = 0; frame < 31; ++frame) {
        const double start = threadTime();
        const QPixmap picture = window.grab();
        still.push_back(threadTime() - start);
    }
    const double raw = rawLines(size, vertices);
    std::printf("%-34s median %6.2f ms  p95 %6.2f ms  unchanged %5.2f ms  %6d vertices  raw "
                "drawLines %5.2f ms  ratio %.2f  resident %lld MB\n",
                name, median(times), median(times, 0.95), median(still), vertices, raw,
                median(times) / raw, static_cast<long long>(residentKilobytes() / 1000));
    std::fflush(stdout);
    for (ChartCard* card : all) {
        card->setCurves({});
    }
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, {});
    const QString which = QString::fromLocal8Bit(argc > 1 ? argv[1] : "all");
    const bool all = which == QLatin1String("all");
    const int points = argc > 2 ? QString::fromLocal8Bit(argv[2]).toInt() : 1'000'000;
    if (all || which == QLatin1String("cards")) {
        measure("12 cards x 5 series of 1 M", 12, 5, points, {1440, 800});
    }
    if (all || which == QLatin1String("one")) {
        measure("1 card x 60 series of 1 M", 1, 60, points, {900, 500});
    }
    if (all || which == QLatin1String("runs")) {
        measure("1 card x 100 runs of 20,000", 1, 100, 20'000, {900, 500});
    }
    return 0;
}
