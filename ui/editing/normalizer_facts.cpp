// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/normalizer_facts.h"

#include "ui/document/field_node.h"
#include "ui/editing/field_values.h"
#include "ui/models/formats.h"

#include <QCoreApplication>

#include <cmath>

namespace cannery::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("NormalizerFacts", text);
}

/// "x", "x − 3" or "x + 3".
QString shiftedText(const QString& x, double by)
{
    return by == 0 ? x
                   : QStringLiteral("%1 %2 %3")
                         .arg(x, by < 0 ? QStringLiteral("+") : QStringLiteral("−"),
                              formatNumber(std::abs(by)));
}

QString formulaText(const NormalizerFacts& facts)
{
    const QString x = facts.isLog ? QStringLiteral("log(%1)").arg(shiftedText("x", -facts.offset))
                                  : QStringLiteral("x");
    const QString top = shiftedText(x, facts.subtract);
    if (facts.divide == 1) {
        return top;
    }
    return QStringLiteral("%1 / %2").arg(facts.subtract == 0 ? top : '(' + top + ')',
                                         formatNumber(facts.divide));
}

/// Exact for a normalizer that only shifts and scales, otherwise from the hundredths.
QString momentsText(double mean, double deviation, bool isExact)
{
    const QString words = isExact ? tr("Mean %1, standard deviation %2")
                                  : tr("Mean about %1, standard deviation about %2");
    return words.arg(formatNumber(mean), formatNumber(deviation));
}

/// Of the values that the quantiles stand for.
void momentsOf(const QList<double>& quantiles, double& mean, double& deviation)
{
    double sum = 0;
    double squares = 0;
    const double parts = double(quantiles.size() - 1);
    // As many rows lie between any two neighbouring quantiles.
    for (qsizetype i = 0; i + 1 < quantiles.size(); ++i) {
        const double middle = (quantiles[i] + quantiles[i + 1]) / 2;
        sum += middle;
        squares += middle * middle;
    }
    mean = sum / parts;
    // Rounding can take the difference below 0.
    deviation = std::sqrt(std::max(0.0, squares / parts - mean * mean));
}

QString afterText(const NormalizerFacts& facts)
{
    if (facts.after.isEmpty()) {
        return {};
    }
    if (!facts.isLog && facts.mean && facts.deviation) {
        return momentsText(facts.applied(*facts.mean), *facts.deviation / std::abs(facts.divide),
                           true);
    }
    if (facts.after.quantiles.size() < 2) {
        return {};
    }
    double mean = 0;
    double deviation = 0;
    momentsOf(facts.after.quantiles, mean, deviation);
    return momentsText(mean, deviation, false);
}

} // namespace

double NormalizerFacts::applied(double x) const
{
    return ((isLog ? std::log(x + offset) : x) - subtract) / divide;
}

std::optional<NormalizerFacts> normalizerFacts(const OfferSource& source,
                                               const QString& numericColumn)
{
    const FieldNode* column = columnNamed(*source.root, numericColumn);
    const ColumnFacts* raw =
        column ? source.data->find(valueOf(kindNode(*column), "key")) : nullptr;
    if (!raw || !raw->isNumber()) {
        return std::nullopt;
    }
    const FieldNode& kind = chosen(child(kindNode(*column), "normalizer"));
    NormalizerFacts facts{.before = NumberDistribution::of(*raw),
                          .kind = kind.name,
                          .isLog = kind.name == QLatin1String("log"),
                          .mean = raw->mean,
                          .deviation = raw->deviation};
    const auto set = [&](const char* field) {
        const QString text = valueOf(kind, field);
        return text.isEmpty() ? std::nullopt : std::optional(text.toDouble());
    };
    // What the file leaves out is that of the training rows.
    const auto orOfData = [&](const char* field, std::optional<double> ofData) {
        const std::optional<double> value = set(field);
        facts.isFromData |= !value;
        // NaN if the statistics are not there yet: then nothing is drawn.
        return value.value_or(ofData.value_or(std::nan("")));
    };
    if (kind.name == QLatin1String("z_score")) {
        facts.subtract = orOfData("mean", raw->mean);
        facts.divide = orOfData("stddev", raw->deviation);
    } else if (kind.name == QLatin1String("min_max")) {
        facts.subtract = orOfData("min", raw->minimum);
        facts.divide = orOfData("max", raw->maximum) - facts.subtract;
    } else if (!kind.name.isEmpty()) {
        facts.subtract = set("subtract").value_or(0);
        facts.divide = set("divide").value_or(1);
        facts.offset = facts.isLog ? set("offset").value_or(1) : 0;
    }
    facts.after = kind.name.isEmpty()
                      ? facts.before
                      : facts.before.mapped([&](double x) { return facts.applied(x); });
    return facts;
}

NormalizerPicture shownNormalizer(const NormalizerFacts& facts)
{
    NormalizerPicture shown;
    if (facts.kind.isEmpty()) {
        return shown;
    }
    shown.before = facts.before;
    shown.formula = formulaText(facts);
    if (facts.mean && facts.deviation) {
        shown.beforeWords = momentsText(*facts.mean, *facts.deviation, true);
    }
    shown.after = facts.after;
    shown.afterWords = afterText(facts);
    if (facts.divide == 0) {
        shown.sentence = tr("All numbers are equal: the divisor is 0.");
        shown.after = {};
        shown.afterWords.clear();
    } else if (facts.after.isEmpty()) {
        shown.sentence = facts.isLog
                             ? tr("Some numbers plus the offset are not above 0: they have no "
                                  "logarithm. Raise the offset.")
                             : tr("The numbers of the training rows are not known yet.");
    } else if (facts.isFromData) {
        shown.sentence = tr("Numbers that are not set here come from the training rows and are "
                            "fixed when a run begins.");
    }
    return shown;
}

NumberDistribution normalizedNumbers(const OfferSource& source, const QString& numericColumn)
{
    const auto facts = normalizerFacts(source, numericColumn);
    return facts ? facts->after : NumberDistribution();
}

} // namespace cannery::ui
