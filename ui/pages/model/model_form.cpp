// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/model_form.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/field_values.h"
#include "ui/editing/run_difference.h"
#include "ui/editing/sweep_fields.h"
#include "ui/editors/form_section.h"
#include "ui/pages/form_names.h"
#include "ui/pages/model/sweep_words.h"
#include "ui/pages/model/warm_start_choice.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"

#include <QAction>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace cannery::ui {
namespace {

bool isColumnList(const FieldSchema& field)
{
    return field.names == FieldNames::FeatureColumn;
}

} // namespace

ModelForm::ModelForm(ProjectSession& session, RunDifference& difference, QWidget* parent)
    : QWidget(parent), m_session(&session), m_difference(&difference),
      m_column(new QVBoxLayout(this))
{
    m_estimator = add(tr("Estimator"), true);
    m_columns = add(tr("Feature columns"), false);
    setObjectName("form.model");
    setAccessibleName(tr("Arguments of the model"));
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    for (const auto& [path, isOpen] : {std::pair{"train_spec", true},
                                       {"eval_spec", false},
                                       {"run_config", false},
                                       {"warm_start", false},
                                       {"sweep", false}}) {
        const QString place = QString::fromLatin1(path);
        const std::optional<FieldSchema> field = fieldSchema(place);
        FormSection* section = add(field ? field->label : place, isOpen);
        section->setForm(context(), place);
        if (place == QLatin1String("warm_start")) {
            section->setBelow(new WarmStartChoice(session));
        } else if (place == QLatin1String("sweep")) {
            section->setBelow(new SweepWords(session));
        }
    }
    m_column->addStretch(1);
    connect(&difference, &RunDifference::changed, this, [this] {
        for (FormSection* section : std::as_const(m_sections)) {
            section->refreshFormer();
        }
    });
    refresh();
}

/// Whether it holds the layers of a network.
bool ModelForm::isDrawn(const FieldSchema& field) const
{
    const QString& layers = m_session->document().edits().network().path;
    return !layers.isEmpty() && layers.section(u'.', 2, 2) == field.name;
}

FormContext ModelForm::context()
{
    FormContext context = formContext(*m_session);
    context.formerly = [difference = m_difference](const QString& path) {
        return difference->formerly(path);
    };
    context.texts = [document = &m_session->document()](const QString& path) {
        return isSweptField(path) ? sweepableFields(document->root()) : QStringList();
    };
    context.element = [document = &m_session->document()](const QString& path) {
        return sweptFieldOf(*document, path);
    };
    context.title = [document = &m_session->document()](const QString& path) {
        const QString field = path.startsWith(QLatin1String("sweep.parameter["))
                                  ? document->value(path + QStringLiteral(".field"))
                                  : QString();
        return field.isEmpty() ? QString() : sweptName(field);
    };
    context.offerName = &sweptName;
    context.query = &m_query;
    context.menu = [this](const QString& path, QObject* owner) {
        return sweepActions(path, owner);
    };
    return context;
}

QList<QAction*> ModelForm::sweepActions(const QString& path, QObject* owner)
{
    const ExperimentDocument& document = m_session->document();
    if (path.startsWith(QLatin1String("sweep.")) || !document.edits().hindrance().isEmpty() ||
        !sweepableFields(document.root()).contains(path)) {
        return {};
    }
    auto* sweep = new QAction(tr("Sweep This"), owner);
    sweep->setObjectName("action.sweep_this");
    connect(sweep, &QAction::triggered, this, [this, path] { sweepField(path); });
    return {sweep};
}

/// The parameter that varies a field already, or a new one, is shown.
void ModelForm::sweepField(const QString& path)
{
    ExperimentDocument& document = m_session->document();
    const FieldNode* list = document.field(QStringLiteral("sweep.parameter"));
    qsizetype index = 0;
    for (const FieldNode& parameter : list == nullptr ? QList<FieldNode>() : list->children) {
        if (document.value(parameter.path + QStringLiteral(".field")) == path) {
            break;
        }
        ++index;
    }
    const QString values =
        elementPath(QStringLiteral("sweep.parameter"), index) + QStringLiteral(".choice.value");
    if (list != nullptr && index < list->children.size()) {
        reveal(values);
        return;
    }
    QString metric;
    bool higherIsBetter = false;
    for (const RunRow& run : m_session->runs().snapshot()->runs) {
        // A metric with a slash is of an evaluation with a name of its own, not of the usual one.
        if (metric.isEmpty() && !run.trashed && !run.decisionMetric.contains(u'/')) {
            metric = run.decisionMetric;
            higherIsBetter = run.higherIsBetter;
        }
    }
    // Its form is there once the text was read.
    connect(
        &document, &ExperimentDocument::changed, this,
        [this, values] { QTimer::singleShot(0, this, [this, values] { reveal(values); }); },
        Qt::SingleShotConnection);
    document.apply(tr("Sweep %1").arg(document.edits().labelOf(path)),
                   sweepEdits(document, path, metric, higherIsBetter));
}

QList<FieldEdit> ModelForm::resetEdits() const
{
    QList<FieldEdit> edits;
    for (const FormSection* section : m_sections) {
        edits += section->resetEdits();
    }
    return edits;
}

bool ModelForm::canReset() const
{
    return m_session->document().edits().hindrance().isEmpty() && !resetEdits().isEmpty();
}

void ModelForm::resetAll()
{
    m_session->document().apply(tr("Reset all arguments of the model"), resetEdits());
}

FormSection* ModelForm::add(const QString& title, bool isOpen)
{
    auto* section = new FormSection(title, isOpen);
    m_column->addWidget(section);
    m_sections << section;
    return section;
}

void ModelForm::refresh()
{
    const FieldNode& estimator = chosen(child(m_session->document().root(), "estimator"));
    if (!estimator.path.isEmpty()) {
        // One message in two sections: what it reads apart from what it is. Layers have a form of
        // their own below their drawing: hundreds at once would take seconds.
        const auto isLeftOut = [this](const FieldSchema& field) {
            return isColumnList(field) || isDrawn(field);
        };
        m_estimator->setForm(context(), estimator.path, {.isLeftOut = isLeftOut});
        m_columns->setForm(context(), estimator.path, {.isLeftOut = [](const FieldSchema& field) {
                               return !isColumnList(field);
                           }});
    }
    showSections();
}

/// Returns how many fields the query finds.
int ModelForm::showSections()
{
    const FieldNode& estimator = chosen(child(m_session->document().root(), "estimator"));
    const bool hasColumns = std::any_of(
        estimator.children.begin(), estimator.children.end(),
        [](const FieldNode& field) { return field.names == FieldNames::FeatureColumn; });
    const QList<FormSection*> before = shownSections();
    int found = 0;
    for (FormSection* section : std::as_const(m_sections)) {
        const bool isThere = section == m_estimator ? !estimator.path.isEmpty()
                             : section == m_columns ? hasColumns
                                                    : true;
        const int inside = isThere ? section->find() : 0;
        section->setVisible(isThere && (m_query.isEmpty() || inside > 0));
        found += inside;
    }
    if (shownSections() != before) {
        Q_EMIT sectionsChanged();
    }
    return found;
}

QList<FormSection*> ModelForm::shownSections() const
{
    QList<FormSection*> shown;
    std::copy_if(m_sections.begin(), m_sections.end(), std::back_inserter(shown),
                 [](const FormSection* section) { return !section->isHidden(); });
    return shown;
}

int ModelForm::find(const FieldQuery& query)
{
    m_query = query;
    return showSections();
}

void ModelForm::focusFound()
{
    const QList<FormSection*> shown = shownSections();
    if (!m_query.isEmpty() && !shown.isEmpty()) {
        shown.first()->focusFirst();
    }
}

bool ModelForm::reveal(const QString& path)
{
    // A search hides fields that it does not find, also the wanted one.
    if (!m_query.isEmpty()) {
        find({});
        Q_EMIT queryDropped();
    }
    return std::any_of(m_sections.begin(), m_sections.end(),
                       [&](FormSection* section) { return section->reveal(path); });
}

} // namespace cannery::ui
