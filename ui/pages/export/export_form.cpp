// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/export/export_form.h"

#include "ui/pages/checkpoint_choice.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style/theme.h"

#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include <array>

namespace cannery::ui {

ExportForm::ExportForm(QWidget* parent)
    : Card(parent), m_from(new CheckpointChoice),
      m_receiver(new Segmented({tr("tf.Example"), tr("One tensor per feature")})),
      m_receiverHelp(new Label({}, TextRole::Label, Ink::Secondary)),
      m_modes(new Segmented({tr("Serving"), tr("And evaluation"), tr("And training")})),
      m_modesHelp(new Label({}, TextRole::Label, Ink::Secondary)), m_name(new QLineEdit),
      m_folder(new QLineEdit("exports"))
{
    body()->setSpacing(scaled(8));
    addTitle(tr("From"));
    body()->addWidget(m_from);
    addReceiver();
    addModes();
    addPlace();
    body()->addStretch(1);
    connect(m_from, &CheckpointChoice::changed, this, &ExportForm::changed);
    connect(m_receiver, &Segmented::currentChanged, this, [this] {
        explainReceiver();
        Q_EMIT changed();
    });
    connect(m_modes, &Segmented::currentChanged, this, [this] {
        explainModes();
        Q_EMIT changed();
    });
    connect(m_name, &QLineEdit::textChanged, this, &ExportForm::changed);
    connect(m_folder, &QLineEdit::textChanged, this, &ExportForm::changed);
    explainReceiver();
    explainModes();
}

void ExportForm::addTitle(const QString& text)
{
    auto* label = new Label(text, TextRole::Section);
    label->setContentsMargins(0, scaled(8), 0, 0);
    body()->addWidget(label);
}

void ExportForm::addReceiver()
{
    addTitle(tr("Request format"));
    m_receiver->setObjectName("field.receiver");
    m_receiver->setAccessibleName(tr("Request format"));
    body()->addWidget(m_receiver);
    m_receiverHelp->setWordWrap(true);
    body()->addWidget(m_receiverHelp);
}

void ExportForm::addModes()
{
    addTitle(tr("Graphs"));
    m_modes->setObjectName("field.modes");
    m_modes->setAccessibleName(tr("Graphs"));
    body()->addWidget(m_modes);
    m_modesHelp->setWordWrap(true);
    body()->addWidget(m_modesHelp);
}

void ExportForm::explainModes()
{
    static constexpr std::array kHelp{
        QT_TR_NOOP("The graph that answers requests."),
        QT_TR_NOOP("Also one that takes labels and returns loss and metrics."),
        QT_TR_NOOP("Also one with the optimizers, that takes a training step.")};
    m_modesHelp->setText(tr(kHelp.at(static_cast<std::size_t>(m_modes->currentIndex()))));
}

void ExportForm::addPlace()
{
    QVBoxLayout* column = body();
    addTitle(tr("Where"));
    m_name->setObjectName("field.export_name");
    m_name->setAccessibleName(tr("Name of the served model"));
    m_folder->setObjectName("field.export_folder");
    m_folder->setAccessibleName(tr("Folder"));
    auto* choose = new Button(Button::Kind::Plain, tr("Choose…"));
    choose->setObjectName("button.choose_folder");
    connect(choose, &QPushButton::clicked, this, &ExportForm::chooseFolder);
    column->addWidget(new Label(tr("Name"), TextRole::Label, Ink::Secondary));
    column->addWidget(m_name);
    column->addWidget(new Label(tr("Folder"), TextRole::Label, Ink::Secondary));
    auto* folder = new QHBoxLayout;
    folder->addWidget(m_folder, 1);
    folder->addWidget(choose);
    column->addLayout(folder);
    auto* help = new Label(tr("A version folder, named by the time, appears here once the "
                              "check has passed. TF Serving watches the folder that contains it."),
                           TextRole::Label, Ink::Secondary);
    help->setWordWrap(true);
    column->addWidget(help);
}

void ExportForm::explainReceiver()
{
    m_receiverHelp->setText(m_receiver->currentIndex() == 0
                                ? tr("Serialized tf.Example messages: classify, regress and "
                                     "predict signatures.")
                                : tr("Each feature as a tensor of its own: the predict "
                                     "signature, easy to call with JSON."));
}

void ExportForm::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Choose Export Folder"),
                                   QDir(m_projectFolder).filePath(m_folder->text()));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    // The dialog's path is absolute; one that is typed counts from the project.
    connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
    dialog->open();
}

QString ExportForm::receiver() const
{
    return m_receiver->currentIndex() == 0 ? QStringLiteral("parsing") : QStringLiteral("raw");
}

QString ExportForm::modes() const
{
    static constexpr std::array kModes{"serve", "eval", "all"};
    return QString::fromLatin1(kModes.at(static_cast<std::size_t>(m_modes->currentIndex())));
}

QString ExportForm::folder() const
{
    return m_folder->text();
}

// The placeholder is what an empty name means.
QString ExportForm::target(const QString& otherwise) const
{
    const QString name = m_name->text().isEmpty() ? otherwise : m_name->text();
    return QDir::cleanPath(m_folder->text() + '/' + name);
}

void ExportForm::setProject(const QString& folder, const QString& defaultName)
{
    m_projectFolder = folder;
    m_name->setPlaceholderText(defaultName);
}

void ExportForm::clearName()
{
    m_name->clear();
}

QJsonObject ExportForm::saveState() const
{
    return {{"receiver", m_receiver->currentIndex()},
            {"modes", m_modes->currentIndex()},
            {"folder", m_folder->text()},
            {"name", m_name->text()}};
}

void ExportForm::restoreState(const QJsonObject& state)
{
    m_receiver->setCurrentIndex(state.value("receiver").toInt());
    m_modes->setCurrentIndex(state.value("modes").toInt());
    m_folder->setText(state.value("folder").toString("exports"));
    m_name->setText(state.value("name").toString());
}

} // namespace cannery::ui
