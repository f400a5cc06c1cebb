// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/experiment_dialogs.h"

#include "ui/document/background.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/change_list.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/label.h"

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPointer>
#include <QThreadPool>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kComparisonWidth = 680;
constexpr qint64 kLongestCompared = qint64{16} << 20;

/// A dialog that compares in the background.
class ComparisonDialog : public Dialog
{
public:
    ComparisonDialog(const QString& objectName, const QString& title, QWidget* parent)
        : Dialog(title, parent), m_list(new ChangeList(this))
    {
        setObjectName(objectName);
        setAttribute(Qt::WA_DeleteOnClose);
        setContentWidth(kComparisonWidth);
        // One at a time: results come in the order of the questions.
        m_pool.setMaxThreadCount(1);
    }
    // The work refers to nothing of the dialog, but must not outlive the program.
    ~ComparisonDialog() override { m_pool.waitForDone(); }

    void addList() { body()->addWidget(m_list); }

    /// `read` runs on a worker thread; `lead` comes before the count.
    void compare(const QString& lead, const std::function<QByteArray()>& before,
                 const QByteArray& after)
    {
        setSentence(lead);
        inBackground(
            // Another file may have been chosen before the answer arrives.
            m_pool, this, [before, after] { return experimentChanges(before(), after); },
            [this, lead, request = ++m_request](const QList<ExperimentChange>& changes) {
                if (request == m_request) {
                    setSentence(QStringLiteral("%1 %2")
                                    .arg(lead, changesSentence(changes.size()))
                                    .trimmed());
                    m_list->setChanges(changes);
                }
            });
    }

private:
    ChangeList* m_list;
    QThreadPool m_pool;
    int m_request = 0;
};

QByteArray experimentBytes(const QString& path)
{
    QFile file(path);
    // Regular files only: others may have no end.
    return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly) ? file.read(kLongestCompared)
                                                                      : QByteArray();
}

/// Asks for both names; the file's follows the experiment's until it is edited.
class NameDialog : public Dialog
{
public:
    NameDialog(ProjectSession& session, QWidget* parent)
        : Dialog(tr("Rename Experiment"), parent), m_session(&session), m_name(new QLineEdit(this)),
          m_file(new QLineEdit(this)), m_problem(new Label({}, TextRole::Label, Ink::Error, this))
    {
        setObjectName("dialog.rename_experiment");
        setAttribute(Qt::WA_DeleteOnClose);
        setSentence(tr("Its runs keep the name they were started with."));
        const ExperimentDocument& document = session.document();
        const auto add = [this](QLineEdit* field, const QString& label, const QString& id,
                                const QString& text) {
            auto* words = new Label(label, TextRole::Label, Ink::Secondary, this);
            field->setObjectName(id);
            field->setAccessibleName(label);
            field->setText(text);
            body()->addWidget(words);
            body()->addWidget(field);
        };
        add(m_name, tr("Name"), "field.experiment_name", document.value(QStringLiteral("name")));
        add(m_file, tr("File (.cannery)"), "field.experiment_file",
            QFileInfo(document.file()).completeBaseName());
        m_problem->setObjectName("label.rename_problem");
        m_problem->setWordWrap(true);
        m_problem->hide();
        body()->addWidget(m_problem);
        addButton(Button::Kind::Plain, tr("Cancel"), QDialog::Rejected)
            ->setObjectName("button.cancel");
        m_rename = addButton(Button::Kind::Primary, tr("Rename"), keepsOpen, true);
        m_rename->setObjectName("button.rename");
        connect(m_rename, &QPushButton::clicked, this, [this] { rename(); });
        connect(m_name, &QLineEdit::textEdited, this, [this](const QString& name) {
            const QString file = fileNameFor(name);
            if (!m_file->isModified() && !file.isEmpty()) {
                m_file->setText(file);
            }
            setProblem({});
        });
        connect(m_file, &QLineEdit::textEdited, this, [this](const QString& file) {
            m_file->setModified(true);
            setProblem(fileNameProblem(file));
        });
        m_name->selectAll();
        m_name->setFocus();
    }

private:
    void setProblem(const QString& sentence)
    {
        m_problem->setText(sentence);
        m_problem->setVisible(!sentence.isEmpty());
        m_rename->setEnabled(sentence.isEmpty());
    }

    void rename()
    {
        m_rename->setEnabled(false);
        m_session->experiments().rename(
            m_name->text().trimmed(), m_file->text().trimmed(),
            // The dialog may be closed before the answer arrives.
            [dialog = QPointer<NameDialog>(this)](const QString& error) {
                if (dialog.isNull()) {
                    return;
                }
                if (error.isEmpty()) {
                    dialog->accept();
                } else {
                    dialog->setProblem(error);
                }
            });
    }

    ProjectSession* m_session;
    QLineEdit* m_name;
    QLineEdit* m_file;
    Label* m_problem;
    Button* m_rename = nullptr;
};

} // namespace

Dialog* askForName(ProjectSession& session, QWidget* parent)
{
    auto* dialog = new NameDialog(session, parent);
    dialog->open();
    return dialog;
}

Dialog* compareExperiments(ProjectSession& session, QWidget* parent)
{
    auto* dialog =
        new ComparisonDialog("dialog.compare", Dialog::tr("Compare Experiments"), parent);
    auto* others = new QComboBox(dialog);
    others->setObjectName("choice.other_experiment");
    others->setAccessibleName(Dialog::tr("From"));
    for (const ExperimentEntry& entry : session.experiments().folder().entries()) {
        if (entry.file != session.document().file()) {
            others->addItem(
                QStringLiteral("%1 (%2)").arg(entry.name, QFileInfo(entry.file).fileName()),
                entry.file);
        }
    }
    dialog->body()->addWidget(
        new Label(Dialog::tr("From"), TextRole::Label, Ink::Secondary, dialog));
    dialog->body()->addWidget(others);
    dialog->addList();
    const auto compare = [dialog, others, name = session.document().name(),
                          text = session.document().text().toUtf8()] {
        const QString file = others->currentData().toString();
        dialog->compare(
            Dialog::tr("To %1, which is open.").arg(name), [file] { return experimentBytes(file); },
            text);
    };
    QObject::connect(others, &QComboBox::currentIndexChanged, dialog, compare);
    dialog->addButton(Button::Kind::Plain, Dialog::tr("Close"), QDialog::Accepted, true);
    compare();
    dialog->open();
    return dialog;
}

Dialog* askForVersion(const VersionQuestion& question, QWidget* parent)
{
    auto* dialog = new ComparisonDialog(question.objectName, question.title, parent);
    dialog->addList();
    dialog->addButton(Button::Kind::Quiet, Dialog::tr("Decide Later"), QDialog::Rejected, true)
        ->setObjectName("button.decide_later");
    const auto add = [dialog](const QString& text, const char* name,
                              const std::function<void()>& choice) {
        Button* button = dialog->addButton(Button::Kind::Plain, text, QDialog::Accepted);
        button->setObjectName(name);
        QObject::connect(button, &QPushButton::clicked, dialog, choice);
    };
    add(question.keepBefore, "button.keep_before", question.onBefore);
    add(question.keepAfter, "button.keep_after", question.onAfter);
    dialog->compare(
        question.sentence, [before = question.before] { return before; }, question.after);
    dialog->open();
    return dialog;
}

} // namespace cannery::ui
