// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/template_menu.h"

#include "ui/document/experiment_document.h"
#include "ui/editing/field_values.h"
#include "ui/pages/features/feature_commands.h"
#include "ui/pages/features/feature_suggestions.h"
#include "ui/pages/features/template_dialogs.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/toaster.h"

#include <QMenu>

namespace cannery::ui {

TemplateMenu::TemplateMenu(Settings& settings, ExperimentDocument& document,
                           FeatureCommands& commands, Toaster& toaster, QWidget* page)
    : QObject(page), m_templates(settings), m_document(document), m_commands(commands),
      m_toaster(toaster), m_page(page), m_menu(new QMenu(page))
{
    m_menu->setObjectName("menu.feature_templates");
    connect(m_menu, &QMenu::aboutToShow, this, &TemplateMenu::fill);
}

// When it opens: other windows may have changed the templates.
void TemplateMenu::fill()
{
    m_menu->clear();
    const QList<FeatureTemplate> templates = m_templates.all();
    for (const FeatureTemplate& one : templates) {
        QString shown = one.name;
        QMenu* own = m_menu->addMenu(shown.replace('&', QLatin1String("&&")));
        own->setObjectName("template." + one.name);
        fillOne(*own, one);
    }
    if (templates.isEmpty()) {
        m_menu->addAction(tr("No templates yet"))->setEnabled(false);
    }
    m_menu->addSeparator();
    QAction* save = m_menu->addAction(tr("Save as Template…"));
    save->setObjectName("templates.save");
    save->setEnabled(!child(m_document.root(), "feature_column").children.isEmpty());
    connect(save, &QAction::triggered, this, &TemplateMenu::askToSave);
}

void TemplateMenu::fillOne(QMenu& menu, const FeatureTemplate& one)
{
    const auto entry = [&](const QString& text, const char* id, auto command) {
        QAction* action = menu.addAction(text);
        action->setObjectName(QLatin1String(id));
        connect(action, &QAction::triggered, this, command);
    };
    entry(tr("Apply"), "template.apply", [this, one] { apply(one); });
    menu.addSeparator();
    entry(tr("Rename…"), "template.rename", [this, one] { askToRename(one.name); });
    entry(tr("Delete"), "template.delete", [this, one] { remove(one); });
}

QStringList TemplateMenu::derivedFeatures() const
{
    QStringList names;
    for (const FieldNode& feature : child(child(m_document.root(), "data"), "feature").children) {
        names.append(valueOf(feature, "name"));
    }
    return names;
}

void TemplateMenu::apply(const FeatureTemplate& one)
{
    const QList<AbsentSource> absent =
        absentSources(one.text, m_commands.data(), derivedFeatures());
    if (absent.isEmpty()) {
        add(one, {});
    } else {
        askForSources(one, absent);
    }
}

void TemplateMenu::askForSources(const FeatureTemplate& one, const QList<AbsentSource>& absent)
{
    auto* dialog = new TemplateSourcesDialog(one.name, absent, m_commands.data(), m_page->window());
    connect(dialog, &QDialog::accepted, this, [this, one, dialog] { add(one, dialog->sources()); });
    dialog->open();
}

void TemplateMenu::add(const FeatureTemplate& one, const QHash<QString, QString>& sources)
{
    QStringList leftOut;
    const QByteArray text = mappedTemplate(one.text, sources, leftOut);
    QList<NewColumn> columns;
    // A column that exists already, field by field, is not added twice.
    for (const FeatureSuggestion& suggestion :
         suggestionsFrom(text, m_commands.newest(), SameColumn::ByEveryField)) {
        columns.append(suggestion.column);
    }
    m_commands.add(columns);
    if (columns.isEmpty()) {
        m_toaster.show(tr("The experiment already has the columns of %1.").arg(one.name));
    } else if (!leftOut.isEmpty()) {
        m_toaster.show(tr("Left out of %1: %2.").arg(one.name, leftOut.join(QLatin1String(", "))));
    }
}

void TemplateMenu::askToSave()
{
    QStringList names;
    for (const FieldNode& column : child(m_commands.newest(), "feature_column").children) {
        names.append(valueOf(column, "name"));
    }
    QStringList taken;
    for (const FeatureTemplate& one : m_templates.all()) {
        taken.append(one.name);
    }
    auto* dialog = new TemplateSaveDialog(names, m_selected, taken, m_page->window());
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_templates.save({.name = dialog->name(),
                          .text = templateText(m_commands.newest(), m_document.text().toUtf8(),
                                               dialog->columns())});
    });
    dialog->open();
}

void TemplateMenu::askToRename(const QString& name)
{
    auto* dialog = new TemplateNameDialog(name, m_page->window());
    connect(dialog, &QDialog::accepted, this, [this, dialog, name] {
        if (!m_templates.rename(name, dialog->name()) && dialog->name() != name) {
            m_toaster.show(tr("A template named %1 already exists.").arg(dialog->name()));
        }
    });
    dialog->open();
}

void TemplateMenu::remove(const FeatureTemplate& one)
{
    m_templates.remove(one.name);
    m_toaster.show(tr("Deleted the template %1.").arg(one.name), tr("Undo"),
                   // The template itself is kept in the button, so that Undo needs nothing from the
                   // disk.
                   [this, one] { m_templates.save(one); });
}

} // namespace cannery::ui
