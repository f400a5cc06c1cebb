// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/derived_features.h"

#include "ui/document/data_edits.h"
#include "ui/document/experiment_document.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/text_change.h"
#include "ui/editing/feature_edits.h"
#include "ui/editing/feature_offers.h"
#include "ui/editing/field_values.h"
#include "ui/editing/remark_edits.h"
#include "ui/models/bucket_boundaries.h"

#include <QSet>

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kDerived = QStringLiteral("data.feature");
constexpr double kShareWithSeparator = 0.2;
constexpr qsizetype kLongestJoined = 24;

QStringList piecesOf(const QStringList& cells, const QString& separator)
{
    QStringList pieces;
    for (const QString& cell : cells) {
        pieces += cell.split(separator, Qt::SkipEmptyParts);
    }
    return pieces;
}

bool isNumberText(const QString& piece)
{
    bool isNumber = false;
    piece.trimmed().toDouble(&isNumber);
    return isNumber;
}

/// Whether pieces look like categories: they come again, and are no parts of dates or fractions.
bool areCategories(const QStringList& pieces)
{
    const QSet<QString> distinct(pieces.begin(), pieces.end());
    return 2 * distinct.size() <= pieces.size() &&
           !std::any_of(pieces.begin(), pieces.end(), isNumberText);
}

/// The name of the derived feature that is made of a column; empty if there is none.
QString derivedFrom(const FieldNode& root, const QString& column)
{
    for (const FieldNode& feature : child(child(root, "data"), "feature").children) {
        const FieldNode& stack = child(feature, "stack");
        const FieldNode& split = child(feature, "split");
        if (valuesOf(child(stack, "columns")).contains(column) ||
            valueOf(split, "column") == column) {
            return valueOf(feature, "name");
        }
    }
    return {};
}

/// "pixel" of pixel_0, pixel_1; otherwise the names joined, or the first one's.
QString stackName(const FieldNode& root, const QStringList& columns, const DataFacts& data)
{
    QString common = columns.first();
    for (const QString& column : columns) {
        while (!column.startsWith(common)) {
            common.chop(1);
        }
    }
    // "pixel_" and "pixel_1" of pixel_10, pixel_11 are not names.
    while (!common.isEmpty() && !common.back().isLetter()) {
        common.chop(1);
    }
    const QString joined = columns.join(QLatin1Char('_'));
    const QString wanted = common.size() > 1                 ? common
                           : joined.size() <= kLongestJoined ? joined
                                                             : columns.first() + "_and_more";
    QStringList taken;
    for (const ColumnFacts& column : data.columns) {
        taken << column.name;
    }
    for (const FieldNode& feature : child(child(root, "data"), "feature").children) {
        taken << valueOf(feature, "name");
    }
    QString name = wanted;
    for (int i = 1; taken.contains(name); ++i) {
        name = i == 1 ? wanted + "_stack" : QStringLiteral("%1_stack_%2").arg(wanted).arg(i);
    }
    return name;
}

QString hindranceOf(const ExperimentDocument& document, const DerivedOffer& offer,
                    const DataFacts& data)
{
    for (const QString& column : offer.columns) {
        const ColumnFacts* facts = data.find(column);
        if (useOf(document, column) != ColumnUse::Feature) {
            return DerivedOffer::tr("%1 is not a feature: it is used as label, weight or key.")
                .arg(column);
        }
        if (const QString made = derivedFrom(document.root(), column); !made.isEmpty()) {
            return DerivedOffer::tr("%1 is part of the derived feature %2 already.")
                .arg(column, made);
        }
        if (offer.isStack() && (facts == nullptr || !facts->isNumber())) {
            return DerivedOffer::tr("%1 is text; only numbers can be stacked.").arg(column);
        }
    }
    if (!offer.isStack() && offer.separator.isEmpty()) {
        return DerivedOffer::tr("The values of %1 seen so far have no separator in common.")
            .arg(offer.columns.first());
    }
    return {};
}

/// A number for each stacked column, with the median of each where values are missing.
NewColumn stackedColumn(const FieldNode& root, const DerivedOffer& offer, const DataFacts& data)
{
    const QList<ColumnList> lists = columnLists(root);
    // Stacked numbers are dense, so they belong to a network if there is one.
    const bool hasDeep = std::any_of(lists.begin(), lists.end(),
                                     [](const ColumnList& list) { return list.isDense; });
    QList<double> medians;
    bool hasMissing = false;
    bool varies = false;
    for (const QString& column : offer.columns) {
        const ColumnFacts* facts = data.find(column);
        medians << (facts != nullptr ? facts->median.value_or(0) : 0);
        hasMissing = hasMissing || (facts != nullptr && facts->missing > 0);
        varies = varies || (facts != nullptr && facts->deviation.value_or(0) > 0);
    }
    QString fields =
        QStringLiteral("key: %1 shape: %2").arg(quoted(offer.feature)).arg(medians.size());
    if (hasMissing) {
        fields += " default_value: " + boundariesField(medians);
    }
    // Numbers that are all equal cannot be normalized: the deviation is 0.
    if (varies) {
        fields += QStringLiteral(" normalizer { z_score {} }");
    }
    const QString name = freeName(root, offer.feature);
    return {.name = name,
            .text = QStringLiteral("{ name: %1 numeric_column { %2 } }").arg(quoted(name), fields),
            .wide = !hasDeep,
            .deep = hasDeep};
}

/// The column's facts as those of its pieces; they are known if every value was seen.
DataFacts factsOfPieces(const DerivedOffer& offer, DataFacts data, const QStringList& cells)
{
    for (ColumnFacts& facts : data.columns) {
        if (facts.name != offer.feature) {
            continue;
        }
        const bool isComplete = !facts.values.isEmpty();
        QStringList values;
        for (const ValueRows& value : std::as_const(facts.values)) {
            values << value.value;
        }
        const QStringList pieces = piecesOf(isComplete ? values : cells, offer.separator);
        QStringList distinct(pieces);
        distinct.removeDuplicates();
        facts.type = QStringLiteral("category");
        facts.distinct = distinct.size();
        facts.binLabels = isComplete ? distinct : QStringList();
    }
    return data;
}

} // namespace

QString separatorIn(const QStringList& cells)
{
    QStringList filled = cells;
    filled.removeAll(QString());
    const auto sharing = [&](const QString& separator) {
        const auto count = std::count_if(filled.begin(), filled.end(), [&](const QString& cell) {
            return cell.split(separator, Qt::SkipEmptyParts).size() > 1;
        });
        return filled.isEmpty() ? 0 : static_cast<double>(count) / double(filled.size());
    };
    // Commas and slashes are parts of texts and dates, too: their pieces must look like categories.
    for (const QString& separator : {QStringLiteral("|"), QStringLiteral(";"), QStringLiteral(","),
                                     QStringLiteral("/"), QStringLiteral("\t")}) {
        if (sharing(separator) < kShareWithSeparator) {
            continue;
        }
        const bool isPlain = separator != QLatin1String(",") && separator != QLatin1String("/");
        for (const QString& padded : {' ' + separator + ' ', separator + ' ', separator}) {
            const QStringList pieces = piecesOf(filled, padded);
            // With the spaces that go with it, or pieces would begin with one.
            const bool isWhole =
                std::none_of(pieces.begin(), pieces.end(),
                             [&](const QString& one) { return one.contains(separator); });
            if (isWhole && (isPlain || areCategories(pieces))) {
                return padded;
            }
        }
    }
    return {};
}

std::optional<DerivedOffer> derivedOffer(const ExperimentDocument& document,
                                         const QStringList& columns, const DataFacts& data,
                                         const QStringList& cells)
{
    const ColumnFacts* first = data.find(columns.value(0));
    if (first == nullptr || !document.isOpen() || (columns.size() == 1 && first->isNumber())) {
        return std::nullopt;
    }
    DerivedOffer offer;
    offer.columns = columns;
    if (offer.isStack()) {
        offer.feature = stackName(document.root(), columns, data);
        offer.label = DerivedOffer::tr("Stack into One Feature");
        offer.tip = DerivedOffer::tr("Makes one input, %1, of %2 numbers.")
                        .arg(offer.feature)
                        .arg(columns.size());
    } else {
        offer.feature = columns.first();
        offer.separator = separatorIn(cells);
        offer.label = offer.separator.isEmpty()
                          ? DerivedOffer::tr("Split at Separator")
                          : DerivedOffer::tr("Split at Separator “%1”").arg(offer.separator);
        offer.tip = DerivedOffer::tr("Makes each cell of %1 several values.").arg(offer.feature);
    }
    offer.hindrance = hindranceOf(document, offer, data);
    return offer;
}

QList<FieldEdit> deriveEdits(const QByteArray& text, const DerivedOffer& offer,
                             const DataFacts& data, const QStringList& cells)
{
    const ExperimentReadingPtr before = readExperiment(text, {});
    const QStringList readers = columnsReading(before->root, offer.columns);
    // A feature that is now cut or stacked is no longer what its columns read.
    QList<FieldEdit> edits =
        readers.isEmpty() ? QList<FieldEdit>() : removeColumnEdits(before->root, readers);
    QString error;
    const auto change = editChange(text, edits, error);
    // The new columns are made for the text without the old ones: their names are free again.
    const ExperimentReadingPtr left = change ? readExperiment(change->applied(text), {}) : before;
    const qsizetype derived = child(child(left->root, "data"), "feature").children.size();
    const QString made =
        offer.isStack() ? QStringLiteral("stack { columns: %1 }").arg(quotedList(offer.columns))
                        : QStringLiteral("split { column: %1 separator: %2 }")
                              .arg(quoted(offer.columns.first()), quoted(offer.separator));
    edits << FieldEdit::set(elementPath(kDerived, derived),
                            QStringLiteral("{ name: %1 %2 }").arg(quoted(offer.feature), made));
    if (offer.isStack()) {
        return edits + addColumnEdits(left->root, {stackedColumn(left->root, offer, data)});
    }
    const DataFacts pieces = factsOfPieces(offer, data, cells);
    return edits + addColumnEdits(left->root, sensibleColumns({.root = &left->root,
                                                               .data = &pieces,
                                                               .rawColumn = offer.feature,
                                                               .featureColumn = {}}));
}

} // namespace cannery::ui
