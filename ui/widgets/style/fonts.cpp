// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/fonts.h"

#include "ui/widgets/resources.h"

#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

struct Families
{
    QFont desktop;
    QString text;     ///< the desktop's if empty
    QString code;     ///< the desktop's fixed one if empty
    QString numerals; ///< none if empty
};

/// The static files of a family, wherever a distribution installs them. Returns the family's name.
QString loadFamily(const QStringList& folders, const QStringList& files)
{
    for (const QString& folder : folders) {
        QString family;
        for (const QString& file : files) {
            const int id = QFontDatabase::addApplicationFont(folder + '/' + file);
            const QStringList names = QFontDatabase::applicationFontFamilies(id);
            if (id >= 0 && !names.isEmpty()) {
                family = names.first();
            }
        }
        if (!family.isEmpty()) {
            return family;
        }
    }
    return {};
}

Families loadFamilies()
{
    initialiseResources();
    Families known;
    known.desktop = QGuiApplication::font();
    known.text = loadFamily({"/usr/share/fonts/opentype/inter", "/usr/share/fonts/inter",
                             "/usr/share/fonts/OTF", "/usr/local/share/fonts"},
                            {"Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf"});
    known.code = loadFamily({"/usr/share/fonts/truetype/jetbrains-mono",
                             "/usr/share/fonts/jetbrains-mono", "/usr/share/fonts/TTF"},
                            {"JetBrainsMono-Regular.ttf", "JetBrainsMono-SemiBold.ttf"});
    known.numerals =
        loadFamily({":/fonts"}, {"CanneryNumerals-Regular.otf", "CanneryNumerals-Medium.otf",
                                 "CanneryNumerals-SemiBold.otf"});
    return known;
}

/// Loaded when the first text is measured.
const Families& families()
{
    static const Families kFamilies = loadFamilies();
    return kFamilies;
}

bool hasEqualDigits(const QFont& font)
{
    // Pixels. Without hinting, widths are fractions that may differ by rounding.
    constexpr double kNothing = 0.01;
    const QFontMetricsF metrics(font);
    const double one = metrics.horizontalAdvance('1');
    const QString digits = "023456789";
    return std::all_of(digits.begin(), digits.end(), [&](QChar digit) {
        return std::abs(metrics.horizontalAdvance(digit) - one) < kNothing;
    });
}

struct RoleRow
{
    TextRole role;
    double size;
    int weight;
};

constexpr RoleRow kRoles[] = {
    {TextRole::Body, 1.00, 400},      {TextRole::Strong, 1.00, 600},
    {TextRole::Label, 0.92, 400},     {TextRole::LabelStrong, 0.92, 500},
    {TextRole::Axis, 0.85, 400},      {TextRole::Badge, 0.85, 600},
    {TextRole::PageTitle, 1.30, 600}, {TextRole::Section, 1.15, 600},
    {TextRole::Headline, 1.38, 600},  {TextRole::EmptyTitle, 1.54, 600},
    {TextRole::Code, 0.92, 400},
};

const RoleRow& rowOf(TextRole role)
{
    return *std::find_if(std::begin(kRoles), std::end(kRoles),
                         [role](const RoleRow& row) { return row.role == role; });
}

} // namespace

QFont fontOf(TextRole role, double bodyPixels, bool desktopFamily)
{
    const Families& known = families();
    const RoleRow& row = rowOf(role);
    const bool isOwn = !desktopFamily && !known.text.isEmpty();
    QFont font = known.desktop;
    if (role == TextRole::Code) {
        font = known.code.isEmpty() ? QFontDatabase::systemFont(QFontDatabase::FixedFont)
                                    : QFont(known.code);
    } else if (isOwn) {
        font = QFont(known.text);
    }
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(row.size * bodyPixels))));
    font.setWeight(static_cast<QFont::Weight>(row.weight));
    // Hinting would round the widths of letters, and a text would have another length at every
    // scale.
    font.setHintingPreference(QFont::PreferNoHinting);
    // The small family holds digits only; Qt takes every other letter from the next family.
    if (role != TextRole::Code && !known.numerals.isEmpty() && isOwn && !hasEqualDigits(font)) {
        font.setFamilies({known.numerals, known.text});
    }
    return font;
}

double desktopFontPixels()
{
    return QFontInfo(families().desktop).pixelSize();
}

} // namespace cannery::ui
