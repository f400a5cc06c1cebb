// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/feature_suggestions.h"

#include "ui/document/experiment_document.h"
#include "ui/document/experiment_reading.h"
#include "ui/editing/experiment_facts.h"
#include "ui/editing/field_values.h"
#include "ui/models/new_facts.h"
#include "ui/pages/features/feature_commands.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

/// What a column is made of, whatever it is called.
QString sourceOf(const FieldNode& column)
{
    const FieldNode& kind = chosen(column, {QStringLiteral("name")});
    for (const char* field : {"key", "source_column", "categorical_column"}) {
        const FieldNode& source = child(kind, field);
        if (source.isRepeated) {
            QStringList inputs;
            for (const FieldNode& input : source.children) {
                inputs.append(chosen(input).text);
            }
            // A cross is the same in any order of its inputs.
            inputs.sort();
            return kind.name + ' ' + inputs.join('\n');
        }
        if (!source.text.isEmpty()) {
            return kind.name + ' ' + source.text;
        }
    }
    return {};
}

/// Whether two fields mean the same; what is not set has its default in both.
bool hasSameContent(const FieldNode& a, const FieldNode& b)
{
    return a.name == b.name && a.text == b.text && a.isDefault == b.isDefault &&
           std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                      hasSameContent);
}

/// The column of the experiment that does the same; empty if none does.
QString equivalentOf(const FieldNode& column, const FieldNode& root, SameColumn same)
{
    const QString source = sourceOf(column);
    for (const FieldNode& other : child(root, "feature_column").children) {
        const bool isSame = same == SameColumn::ByKindAndSource
                                ? !source.isEmpty() && sourceOf(other) == source
                                : hasSameContent(chosen(column, {QStringLiteral("name")}),
                                                 chosen(other, {QStringLiteral("name")}));
        if (isSame) {
            return valueOf(other, "name");
        }
    }
    return {};
}

bool uses(const QList<ColumnList>& lists, const QString& name, bool isDense)
{
    return std::any_of(lists.begin(), lists.end(), [&](const ColumnList& list) {
        return list.isDense == isDense && list.names.contains(name);
    });
}

QString sentenceOfSuggestion(const FeatureFacts& facts)
{
    QString text = facts.sources.join(QStringLiteral(" × "));
    for (const FeatureStep& step : facts.steps) {
        text += QStringLiteral(" → ") + step.word;
        text += step.detail.isEmpty() ? QString() : ' ' + step.detail;
    }
    return text;
}

/// Columns with the names that they would have in the experiment; empty names: it has them.
QByteArray withFreeNames(const QByteArray& text, const FieldNode& root, SameColumn same,
                         QStringList& names)
{
    QByteArray renamed = text;
    ExperimentReadingPtr reading = readExperiment(text, {});
    const qsizetype count = child(reading->root, "feature_column").children.size();
    for (qsizetype i = 0; i < count; ++i) {
        const FieldNode& column = child(reading->root, "feature_column").children.at(i);
        const QString name = valueOf(column, "name");
        const QString has = equivalentOf(column, root, same);
        const QString wanted = has.isEmpty() ? freeName(root, name) : has;
        names.append(has.isEmpty() ? wanted : QString());
        if (wanted == name) {
            continue;
        }
        QString error;
        const auto change =
            editChange(renamed, renameColumnEdits(reading->root, name, wanted), error);
        if (change) {
            renamed = change->applied(renamed);
            // Other columns refer to this one by its new name, so the rest is read anew.
            reading = readExperiment(renamed, {});
        }
    }
    return renamed;
}

} // namespace

QList<FeatureSuggestion> suggestionsFrom(const QByteArray& text, const FieldNode& root,
                                         SameColumn same)
{
    QStringList names;
    const QByteArray renamed = withFreeNames(text, root, same, names);
    const ExperimentReadingPtr reading = readExperiment(renamed, {});
    const QList<ColumnList> lists = columnLists(reading->root);
    const FeatureColumns facts = readFeatureColumns(child(reading->root, "feature_column"));
    const QList<FieldNode>& columns = child(reading->root, "feature_column").children;
    QList<FeatureSuggestion> suggestions;
    for (qsizetype i = 0; i < columns.size() && i < names.size(); ++i) {
        if (names[i].isEmpty()) {
            continue;
        }
        const FieldNode& column = columns[i];
        FeatureSuggestion suggestion;
        suggestion.column = {
            .name = names[i],
            .text = writtenAt(renamed, elementPath(QStringLiteral("feature_column"), i)),
            .wide = uses(lists, names[i], false),
            .deep = uses(lists, names[i], true)};
        suggestion.sentence = sentenceOfSuggestion(facts.columns.value(i));
        for (const QString& other : std::as_const(names)) {
            if (!other.isEmpty() && other != names[i] && refersToColumn(column, other)) {
                suggestion.needs.append(other);
            }
        }
        suggestions.append(suggestion);
    }
    return suggestions;
}

FeatureSuggestions::FeatureSuggestions(ExperimentDocument& document, JobRunner& jobs,
                                       FeatureCommands& commands, QWidget* parent)
    : QWidget(parent), m_document(document), m_jobs(jobs), m_commands(commands),
      m_title(new Label(tr("Suggestions"), TextRole::Strong)),
      m_sentence(new Label({}, TextRole::Label, Ink::Secondary)),
      m_all(new Button(Button::Kind::Plain, tr("Add All"))), m_rows(new QVBoxLayout)
{
    setObjectName("suggestions");
    setAccessibleName(tr("Suggested feature columns"));
    m_sentence->setObjectName("words.suggestions");
    m_sentence->setWordWrap(true);
    m_all->setObjectName("button.add_all_suggestions");
    auto* away = new IconButton("x", tr("Close the suggestions"));
    away->setObjectName("button.close_suggestions");
    auto* card = new Card;
    auto* top = new QHBoxLayout;
    top->addWidget(m_title);
    top->addWidget(m_sentence, 1);
    top->addWidget(m_all);
    top->addWidget(away);
    card->body()->addLayout(top);
    auto* rows = new QWidget;
    rows->setLayout(m_rows);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(scaled(2));
    card->body()->addWidget(makeFittedArea(rows, parent, 0.3));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(card);
    connect(m_all, &QPushButton::clicked, this, [this] {
        QList<NewColumn> columns;
        for (const FeatureSuggestion& suggestion : std::as_const(m_suggestions)) {
            columns.append(suggestion.column);
        }
        m_commands.add(columns);
    });
    connect(away, &QToolButton::clicked, this, &FeatureSuggestions::close);
    hide();
}

QString FeatureSuggestions::hindrance() const
{
    const ExperimentFacts facts = ExperimentFacts::of(m_document.root());
    if (m_job != 0) {
        return tr("The table is being read.");
    }
    if (facts.trainFiles.isEmpty() || facts.label.isEmpty()) {
        return tr("Suggestions need a table and its label: choose them on the Data page.");
    }
    const FieldNode& source = chosen(child(child(m_document.root(), "data"), "train"));
    return source.name == QLatin1String("csv") ? QString()
                                               : tr("Suggestions are made for CSV files only.");
}

void FeatureSuggestions::ask()
{
    if (hindrance().isEmpty()) {
        run(true);
        Q_EMIT askingChanged();
    }
}

/// Not every estimator can be asked for; without one, the engine chooses.
void FeatureSuggestions::run(bool withEstimator)
{
    const ExperimentFacts facts = ExperimentFacts::of(m_document.root());
    const QFileInfo file(m_document.file());
    QStringList arguments{"new", facts.trainFiles.first(), "--dry-run", "--label", facts.label};
    if (withEstimator && facts.hasModel()) {
        arguments += {"--estimator", facts.estimator};
    }
    show(tr("Reading the table and trying models …"));
    m_job =
        m_jobs.run(tr("Suggesting feature columns"),
                   {.arguments = arguments, .folder = file.path(), .machineArguments = {"--json"}},
                   [this, withEstimator](const JobRunner::Outcome& outcome) {
                       m_job = 0;
                       if (!outcome.ok && !outcome.cancelled && withEstimator) {
                           // Once more without it: an estimator of the experiment may need what
                           // `new` does not offer.
                           run(false);
                           return;
                       }
                       m_text = newFactsFromJson(outcome.json.object()).text;
                       Q_EMIT askingChanged();
                       if (outcome.cancelled) {
                           close();
                       } else if (!outcome.ok) {
                           show(outcome.sentence);
                       } else {
                           refresh();
                       }
                   });
}

void FeatureSuggestions::show(const QString& sentence)
{
    clearLayout(m_rows);
    m_sentence->setText(sentence);
    m_all->setVisible(m_suggestions.size() > 1);
    for (const FeatureSuggestion& suggestion : std::as_const(m_suggestions)) {
        auto* row = new QWidget;
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->addWidget(new Label(suggestion.column.name, TextRole::LabelStrong));
        auto* words = new Label(suggestion.sentence, TextRole::Label, Ink::Secondary);
        words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        words->setToolTip(suggestion.sentence);
        line->addWidget(words, 1);
        auto* add = new Button(Button::Kind::Link, tr("Add"));
        add->setObjectName("suggestion." + suggestion.column.name);
        add->setAccessibleName(tr("Add %1").arg(suggestion.column.name));
        connect(add, &QPushButton::clicked, this, [this, suggestion] { addOne(suggestion); });
        line->addWidget(add);
        m_rows->addWidget(row);
    }
    setVisible(true);
}

void FeatureSuggestions::close()
{
    if (m_job != 0) {
        m_jobs.cancel(m_job);
    }
    m_text.clear();
    m_suggestions.clear();
    hide();
}

void FeatureSuggestions::refresh()
{
    if (m_text.isEmpty()) {
        return;
    }
    m_suggestions = suggestionsFrom(m_text, m_document.root());
    show(m_suggestions.isEmpty()
             ? tr("The experiment has every feature column that a new one would have.")
             : tr("A new experiment for this table would also have these."));
}

void FeatureSuggestions::collect(const FeatureSuggestion& suggestion,
                                 QList<NewColumn>& columns) const
{
    // What a column is made of comes before it.
    for (const FeatureSuggestion& other : m_suggestions) {
        const bool isThere =
            std::any_of(columns.begin(), columns.end(),
                        [&](const NewColumn& column) { return column.name == other.column.name; });
        if (suggestion.needs.contains(other.column.name) && !isThere) {
            collect(other, columns);
        }
    }
    columns.append(suggestion.column);
}

void FeatureSuggestions::addOne(const FeatureSuggestion& suggestion)
{
    QList<NewColumn> columns;
    collect(suggestion, columns);
    m_commands.add(columns);
}

} // namespace cannery::ui
