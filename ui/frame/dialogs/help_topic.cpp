// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/help_topic.h"

#include "ui/charts/curves/chart_card.h"
#include "ui/document/field_schema.h"
#include "ui/models/glossary.h"
#include "ui/models/metric_names.h"
#include "ui/models/runs/run_table_model.h"
#include "ui/pages/page_catalog.h"

#include <QAbstractItemView>
#include <QCoreApplication>

#include <array>
#include <utility>

namespace cannery::ui {
namespace {

#define TEXT(text) QT_TRANSLATE_NOOP("HelpTopic", text)

constexpr std::array kPages{
    std::pair{"home", TEXT("Drop a table on the window, or choose a sample, and press Train. "
                           "Projects that were opened before are listed here. Ctrl+K finds "
                           "actions, pages, runs, tags and settings by a few letters.")},
    std::pair{"data", TEXT("The table as it is read: which column is the label, which are "
                           "features, and which rows are held back to evaluate. Remarks say what "
                           "looks wrong, and offer a cure.")},
    std::pair{"features",
              TEXT("How each column enters the model: numbers, buckets, categories, crosses, "
                   "embeddings. What the model will see of a row is shown beside it.")},
    std::pair{"model", TEXT("The estimator and all its arguments. Ctrl+F finds a field; the dot "
                            "beside a field says that the file sets it, and the arrow returns it "
                            "to its default.")},
    std::pair{"train", TEXT("Trains the experiment and shows its curves while they grow. Loss "
                            "should fall; a metric of the evaluation rows says how good the model "
                            "is on rows that it has not seen.")},
    std::pair{"runs", TEXT("Every training of the experiment, to be compared: the best value of "
                           "each metric is marked, and the first click on a metric's title sorts "
                           "the best to the top.")},
    std::pair{"export", TEXT("Writes a SavedModel from a checkpoint and verifies that it answers "
                             "as the model does.")},
    std::pair{"guided", TEXT("Goes from a table to a trained model, one question at a time.")},
};

#undef TEXT

QString wordsOf(const GlossaryEntry& entry)
{
    return entry.judging.isEmpty() ? entry.meaning : entry.meaning + u' ' + entry.judging;
}

HelpTopic topicOfField(const QString& path)
{
    const std::optional<FieldSchema> field = fieldSchema(path);
    if (!field) {
        return {};
    }
    const GlossaryEntry* entry = glossaryOfField(path);
    return {field->label, QStringList{field->help, field->rangeSentence()}.join(u' ').trimmed(),
            entry == nullptr ? QString() : entry->term};
}

HelpTopic topicOfMetric(const QString& metric)
{
    const GlossaryEntry* entry = glossaryOfMetric(metric);
    return entry == nullptr ? HelpTopic()
                            : HelpTopic{metricName(metric), wordsOf(*entry), entry->term};
}

/// The current column of a table, by its header.
HelpTopic topicOfColumn(const QAbstractItemView& view)
{
    const QAbstractItemModel* model = view.model();
    const int column = view.currentIndex().column();
    if (model == nullptr || column < 0) {
        return {};
    }
    const auto header = [&](int role) {
        return model->headerData(column, Qt::Horizontal, role).toString();
    };
    const QString metric = header(RunTableModel::MetricRole);
    const QString field = header(RunTableModel::FieldRole);
    const QString tip = header(Qt::ToolTipRole);
    // A tooltip that only repeats the header explains nothing.
    return !metric.isEmpty()                   ? topicOfMetric(metric)
           : !field.isEmpty()                  ? topicOfField(field)
           : tip == header(Qt::DisplayRole)    ? HelpTopic()
           : header(Qt::DisplayRole).isEmpty() ? HelpTopic()
                                               : HelpTopic{header(Qt::DisplayRole), tip, {}};
}

HelpTopic topicOfWidget(const QWidget& widget)
{
    if (const auto* card = qobject_cast<const ChartCard*>(&widget)) {
        return topicOfMetric(card->tag());
    }
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget)) {
        return topicOfColumn(*view);
    }
    // "field.estimator.dnn_classifier.dropout"; a button beside it begins with "button."
    const QString name = widget.objectName();
    for (const char* kind : {"field.", "row.", "button.", "fold.", "reset.", "choice.", "more."}) {
        if (name.startsWith(QLatin1String(kind))) {
            return topicOfField(name.mid(qsizetype(qstrlen(kind))));
        }
    }
    return {};
}

HelpTopic topicOfPage(const QString& page)
{
    const QString id = page.section(u':', 0, 0);
    for (const auto& [known, text] : kPages) {
        for (const PageRow& row : pageCatalog()) {
            if (id == QLatin1String(known) && id == QLatin1String(row.id)) {
                return {QCoreApplication::translate("PageCatalog", row.label),
                        QCoreApplication::translate("HelpTopic", text),
                        {}};
            }
        }
    }
    return {};
}

} // namespace

HelpTopic helpTopicOf(const QWidget* focus, const QString& page)
{
    // From the inside out: the nearest widget that has an explanation.
    for (const QWidget* widget = focus; widget != nullptr && !widget->isWindow();
         widget = widget->parentWidget()) {
        const HelpTopic topic = topicOfWidget(*widget);
        if (!topic.text.isEmpty()) {
            return topic;
        }
    }
    return topicOfPage(page);
}

} // namespace cannery::ui
