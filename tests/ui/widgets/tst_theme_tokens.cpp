// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QTest>

#include <array>
#include <cmath>

using namespace cannery::ui;

/// Contrast and accessibility of the theme, computed from the tokens.
class TstThemeTokens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void contrastIsThatOfWcag();
    void D34_textHasFourAndAHalfToOneInBothThemes_data();
    void D34_textHasFourAndAHalfToOneInBothThemes();
    void D34_curvesHaveThreeToOneInBothThemes();
    void sixteenCurvesDifferAlsoForColourBlindEyes();
    void D34_liveSwitchTellsEverybody();
    void textScaleReachesTwoHundredPercent();
    void digitsHaveEqualWidths();
};

namespace {

ThemeTokens tokensOf(bool dark)
{
    applyTheme(*qobject_cast<QApplication*>(qApp), {.dark = dark});
    return tokens();
}

using Pick = QColor (*)(const ThemeTokens&);
#define TOKEN(name) [](const ThemeTokens& t) { return t.name; }

struct Row
{
    const char* name;
    Pick ink;
    Pick ground;
    double least = 4.5; ///< 3 for what is no text
};

const std::array<Row, 22> kRows{{
    {"text on surface", TOKEN(text), TOKEN(surface)},
    {"text on canvas", TOKEN(text), TOKEN(canvas)},
    {"text on chrome", TOKEN(text), TOKEN(chrome)},
    {"text2 on surface", TOKEN(text2), TOKEN(surface)},
    {"text2 on canvas", TOKEN(text2), TOKEN(canvas)},
    {"text2 on chrome", TOKEN(text2), TOKEN(chrome)},
    {"text3 on surface", TOKEN(text3), TOKEN(surface)},
    {"text3 on canvas", TOKEN(text3), TOKEN(canvas)},
    {"accent on surface", TOKEN(accent), TOKEN(surface)},
    {"accent on canvas", TOKEN(accent), TOKEN(canvas)},
    {"accent on tint", TOKEN(accent), TOKEN(tint)},
    {"onAccent on accent", TOKEN(onAccent), TOKEN(accent)},
    {"ok on okBg", TOKEN(ok), TOKEN(okBg)},
    {"warn on warnBg", TOKEN(warn), TOKEN(warnBg)},
    {"err on errBg", TOKEN(err), TOKEN(errBg)},
    {"text on warnBg", TOKEN(text), TOKEN(warnBg)},
    {"text on errBg", TOKEN(text), TOKEN(errBg)},
    {"text2 on idleBg", TOKEN(text2), TOKEN(idleBg)},
    {"control on surface", TOKEN(control), TOKEN(surface), 3.0},
    {"warnIcon on warnBg", TOKEN(warnIcon), TOKEN(warnBg), 3.0},
    {"text on tint", TOKEN(text), TOKEN(tint)},
    {"text2 on tint", TOKEN(text2), TOKEN(tint)},
}};

/// Machado 2009, full severity, on linear light.
using Matrix = std::array<double, 9>;
constexpr Matrix kEyes[] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};

std::array<double, 3> labOf(const QColor& colour, const Matrix& eye)
{
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double rgb[] = {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
    double seen[3];
    for (size_t i = 0; i < 3; ++i) {
        seen[i] = std::clamp(
            eye[3 * i] * rgb[0] + eye[3 * i + 1] * rgb[1] + eye[3 * i + 2] * rgb[2], 0.0, 1.0);
    }
    const double xyz[] = {
        (0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047,
        0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2],
        (0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883};
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    return {116 * f(xyz[1]) - 16, 500 * (f(xyz[0]) - f(xyz[1])), 200 * (f(xyz[1]) - f(xyz[2]))};
}

double leastDistance(const ThemeTokens& t, const Matrix& eye, size_t count)
{
    double least = 1e9;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count; ++j) {
            const auto a = labOf(t.series[i], eye);
            const auto b = labOf(t.series[j], eye);
            least = std::min(least, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
        }
    }
    return least;
}

} // namespace

/// WCAG 2.1, "contrast ratio": from 1 to 21; #767676 is the lightest grey of 4.5 on white.
void TstThemeTokens::contrastIsThatOfWcag()
{
    QCOMPARE(contrast(Qt::white, Qt::black), 21.0);
    QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrast(Qt::red, Qt::red), 1.0);
    QVERIFY(contrast(QColor("#767676"), Qt::white) >= 4.5);
    QVERIFY(contrast(QColor("#777777"), Qt::white) < 4.5);
}

void TstThemeTokens::D34_textHasFourAndAHalfToOneInBothThemes_data()
{
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < kRows.size(); ++i) {
        QTest::newRow(kRows[i].name) << static_cast<int>(i);
    }
}

void TstThemeTokens::D34_textHasFourAndAHalfToOneInBothThemes()
{
    QFETCH(int, row);
    const Row& pair = kRows[static_cast<size_t>(row)];
    for (const bool dark : {false, true}) {
        const ThemeTokens t = tokensOf(dark);
        QVERIFY(contrast(pair.ink(t), pair.ground(t)) >= pair.least);
    }
}

void TstThemeTokens::D34_curvesHaveThreeToOneInBothThemes()
{
    for (const bool dark : {false, true}) {
        const ThemeTokens t = tokensOf(dark);
        for (const QColor& colour : t.series) {
            QVERIFY2(contrast(colour, t.surface) >= 3.0, qPrintable(colour.name()));
        }
    }
}

void TstThemeTokens::sixteenCurvesDifferAlsoForColourBlindEyes()
{
    // Minimum CIE76 differences: normal, deuteranopia, protanopia, tritanopia.
    constexpr double kEight[2][4] = {{29, 10, 12, 13}, {24, 14, 9, 14}};
    constexpr double kSixteen[4] = {24, 7, 9, 5};
    for (const bool dark : {false, true}) {
        const ThemeTokens t = tokensOf(dark);
        for (size_t eye = 0; eye < 4; ++eye) {
            QVERIFY(leastDistance(t, kEyes[eye], 8) >= kEight[dark ? 1 : 0][eye]);
            QVERIFY(leastDistance(t, kEyes[eye], 16) >= kSixteen[eye]);
        }
    }
}

void TstThemeTokens::D34_liveSwitchTellsEverybody()
{
    auto& application = *qobject_cast<QApplication*>(qApp);
    applyTheme(application, {.dark = false});
    int notified = 0;
    QObject listener;
    connect(&themeWatch(), &ThemeWatch::changed, &listener, [&notified] { ++notified; });
    const QColor light = QApplication::palette().color(QPalette::Window);
    applyTheme(application, {.dark = true});
    QCOMPARE(notified, 1);
    QVERIFY(tokens().isDark);
    QVERIFY(QApplication::palette().color(QPalette::Window) != light);
    QCOMPARE(QApplication::palette().color(QPalette::Window), tokens().canvas);
}

void TstThemeTokens::textScaleReachesTwoHundredPercent()
{
    auto& application = *qobject_cast<QApplication*>(qApp);
    applyTheme(application, {});
    const int usual = textFont(TextRole::Body).pixelSize();
    applyTheme(application, {.textScale = 2.0});
    QCOMPARE(textFont(TextRole::Body).pixelSize(), 2 * usual);
    QCOMPARE(scaled(12), 24);
    applyTheme(application, {});
    QCOMPARE(scaled(12), 12);
}

void TstThemeTokens::digitsHaveEqualWidths()
{
    for (const TextRole role : {TextRole::Body, TextRole::Strong, TextRole::Label,
                                TextRole::Headline, TextRole::Axis, TextRole::Code}) {
        const QFontMetricsF metrics(textFont(role));
        for (const QChar digit : QString("023456789")) {
            const double difference = metrics.horizontalAdvance(QString(8, digit)) -
                                      metrics.horizontalAdvance("11111111");
            QVERIFY2(std::abs(difference) < 0.25, qPrintable(QString("%1 in role %2: %3")
                                                                 .arg(digit)
                                                                 .arg(static_cast<int>(role))
                                                                 .arg(difference)));
        }
    }
}

CANNERY_TEST(TstThemeTokens)
#include "tst_theme_tokens.moc"
