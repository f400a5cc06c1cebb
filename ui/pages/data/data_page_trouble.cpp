// SPDX-License-Identifier: GPL-3.0-only
// How the Data page shows a table that cannot be read.

#include "ui/document/background.h"
#include "ui/document/checked_problems.h"
#include "ui/document/experiment_document.h"
#include "ui/document/table_files.h"
#include "ui/editing/document_query.h"
#include "ui/editing/experiment_facts.h"
#include "ui/models/formats.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/data/table_trouble_view.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/joined_table.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/table_lines.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/strip.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr int kTroublePage = 2; ///< in the stack

} // namespace

DataPage::~DataPage()
{
    // Ends a copy of a large file, which the pool would otherwise wait for.
    *m_joining = true;
    m_pool.waitForDone();
}

void DataPage::makeTrouble()
{
    auto* content = new QWidget(this);
    auto* column = makePageColumn(content);
    m_troubleHeader = new PageHeader({});
    m_troubleHeader->setObjectName("header.trouble");
    m_troubleHeader->setCrumb(tr("Data"));
    m_openFile->setObjectName("action.open_table_text");
    m_openFile->setProperty("iconName", "external-link");
    m_troubleHeader->addAction(m_openFile);
    m_troubleHeader->addAction(action("action.open_data"), Button::Kind::Plain,
                               tr("Choose Another File…"));
    column->addWidget(m_troubleHeader);
    m_troubleStrip = new Strip;
    m_troubleStrip->setObjectName("strip.trouble");
    column->addWidget(m_troubleStrip);
    m_trouble = new TableTroubleView;
    column->addWidget(makeScrollArea(m_trouble), 1);
    m_stack->addWidget(content);
    m_pool.setMaxThreadCount(1);
    connect(m_troubleHeader, &PageHeader::crumbActivated, &session().tables(),
            &TableImport::forgetTrouble);
    connect(m_openFile, &QAction::triggered, this,
            [this] { session().showOutside(troubleNow().file); });
    connect(m_trouble, &TableTroubleView::skipWanted, this, [this] {
        TableReading reading = session().tables().reading();
        reading.skipsBadRows = true;
        readAgain(reading);
    });
    connect(m_trouble, &TableTroubleView::delimiterWanted, this, [this](QChar delimiter) {
        TableReading reading = session().tables().reading();
        reading.delimiter = delimiter;
        readAgain(reading);
    });
    connect(m_trouble, &TableTroubleView::encodingWanted, this, [this](const QString& encoding) {
        TableReading reading = session().tables().reading();
        reading.encoding = encoding;
        readAgain(reading);
    });
    connect(m_trouble, &TableTroubleView::joinChanged, this, &DataPage::countJoins);
    connect(m_trouble, &TableTroubleView::joinWanted, this, &DataPage::joinValues);
    connect(m_trouble, &TableTroubleView::locateWanted, this, &DataPage::locateTable);
}

/// A table that the user tries to open takes precedence over the project's.
bool DataPage::isOfProject() const
{
    return session().tables().trouble().isEmpty();
}

TableTrouble DataPage::troubleNow() const
{
    if (!isOfProject()) {
        return session().tables().trouble();
    }
    const ExperimentDocument& document = session().document();
    if (!document.isOpen()) {
        return {};
    }
    const QList<ProblemRow> problems = problemsOf(document.problems().all(), "data");
    for (const ProblemRow& problem : problems) {
        // The check of the experiment finds it early, with the field that names the file.
        if (problem.id == "data.file_missing") {
            TableTrouble missing;
            missing.errorId = problem.id;
            missing.sentence = problem.sentence;
            missing.file = QDir::cleanPath(QFileInfo(document.file())
                                               .absoluteDir()
                                               .absoluteFilePath(document.value(problem.path)));
            return missing;
        }
    }
    return m_preview->trouble();
}

void DataPage::refreshTrouble()
{
    const TableTrouble trouble = troubleNow();
    if (trouble.isEmpty()) {
        if (m_stack->currentIndex() == kTroublePage) {
            m_stack->setCurrentIndex(session().document().isOpen() ? 1 : 0);
        }
        return;
    }
    m_stack->setCurrentIndex(kTroublePage);
    if (trouble != m_trouble->trouble()) {
        showTrouble(trouble);
    }
}

void DataPage::showTrouble(const TableTrouble& trouble)
{
    m_troubleHeader->setTitle(QFileInfo(trouble.file).fileName());
    m_troubleHeader->setSentence(
        trouble.line > 0 ? tr("stopped at line %1").arg(formatCount(trouble.line)) : QString());
    m_troubleStrip->setMessage(Strip::Level::Error, tr("The table cannot be read."),
                               trouble.words());
    m_troubleStrip->setActions({m_copyDetails});
    m_openFile->setEnabled(!trouble.isMissing());
    // What was counted for the trouble before is no longer of interest.
    *m_joining = true;
    m_trouble->setTrouble(trouble, isOfProject());
    updateJoinable(trouble);
    m_trouble->setHindrance(isOfProject() ? session().project().changeHindrance() : QString());
    if (trouble.line <= 0) {
        return;
    }
    inBackground(
        m_pool, this, [trouble] { return readTableLines(trouble.file, trouble.line); },
        [this, trouble](const TableLines& lines) {
            if (trouble == m_trouble->trouble()) {
                m_trouble->setLines(lines);
            }
        });
    if (!trouble.canSkip()) {
        return;
    }
    const auto counted = [this, trouble](qint64 rows) {
        if (trouble == m_trouble->trouble()) {
            m_trouble->setRowsWhenSkipped(rows);
        }
    };
    if (isOfProject()) {
        m_preview->countRows({"--set", "data.bad_rows=SKIP"}, this, counted);
    } else {
        session().tables().countRowsWithoutBad(
            [page = QPointer<DataPage>(this), counted](qint64 rows) {
                if (page) {
                    counted(rows);
                }
            });
    }
}

void DataPage::updateJoinable(const TableTrouble& trouble)
{
    QString delimiter = session().tables().reading().delimiter;
    QString encoding = session().tables().reading().encoding;
    bool isJoinable = true;
    if (isOfProject()) {
        const ExperimentDocument& document = session().document();
        const QString source = sourceOf(trouble.file);
        delimiter = document.value(source + ".field_delim");
        encoding = document.value(source + ".encoding");
        // A file that a pattern names has no place of its own for the copy.
        isJoinable = !fileField(trouble.file).isEmpty() &&
                     document.value(source + ".use_quote_delim") != QLatin1String("false");
    }
    // The copy is made of bytes. In these encodings, a byte of a character may look like a
    // delimiter.
    const bool isLikeAscii =
        encoding != QLatin1String("utf16") && encoding != QLatin1String("gb18030");
    m_trouble->setJoinable(isJoinable && isLikeAscii, delimiter == QLatin1String("\\t")
                                                          ? QChar(u'\t')
                                                      : delimiter.size() == 1 ? delimiter.front()
                                                                              : QChar());
}

void DataPage::countJoins()
{
    *m_joining = true;
    const auto join = m_trouble->join();
    if (!join) {
        return;
    }
    // A flag of its own for each count, so that the one before stays cancelled.
    m_joining = std::make_shared<std::atomic_bool>(false);
    inBackground(
        m_pool, this,
        [join = *join, stop = m_joining] { return cannery::ui::countJoins(join, *stop); },
        [this, stop = m_joining](const JoinedTable& counted) {
            if (!*stop) {
                m_trouble->setJoins(counted);
            }
        });
}

/// The copy stands beside the experiment, or among the projects as long as there is none.
void DataPage::joinValues()
{
    const auto join = m_trouble->join();
    if (!join) {
        return;
    }
    *m_joining = true;
    m_joining = std::make_shared<std::atomic_bool>(false);
    const QString folder = isOfProject() ? QFileInfo(session().document().file()).absolutePath()
                                         : session().settings().projectsFolder();
    inBackground(
        m_pool, this,
        [join = *join, folder, stop = m_joining] { return writeJoined(join, folder, *stop); },
        [this, trouble = troubleNow(), stop = m_joining](const JoinedTable& table) {
            if (!*stop) {
                joinsWritten(trouble, table);
            }
        });
}

void DataPage::joinsWritten(const TableTrouble& trouble, const JoinedTable& table)
{
    if (table.file.isEmpty()) {
        m_trouble->setJoins(table);
    } else if (trouble == troubleNow()) {
        tableLocated(trouble, table.file);
    }
}

/// In a project the choice becomes a field of the experiment, otherwise the table is read again
/// with it.
void DataPage::readAgain(const TableReading& reading)
{
    if (!isOfProject()) {
        session().tables().ask(session().tables().trouble().file, reading);
        return;
    }
    ExperimentDocument& document = session().document();
    if (reading.skipsBadRows) {
        document.setValue("data.bad_rows", "SKIP");
    }
    const TableTrouble trouble = troubleNow();
    const QString source = sourceOf(trouble.file);
    if (!reading.delimiter.isEmpty()) {
        document.setValue(source + ".field_delim",
                          reading.delimiter == "\t" ? QString("\\t") : reading.delimiter);
    }
    if (!reading.encoding.isEmpty()) {
        document.setValue(source + ".encoding", reading.encoding);
    }
}

/// "data.train.csv" (or what else the table is), or that of data.eval if only that names the file.
QString DataPage::sourceOf(const QString& file) const
{
    const ExperimentFacts facts = ExperimentFacts::of(session().document().root());
    const QDir folder = QFileInfo(session().document().file()).absoluteDir();
    const auto names = [&](const QStringList& files) {
        return std::any_of(files.begin(), files.end(), [&](const QString& one) {
            return QDir::cleanPath(folder.absoluteFilePath(one)) == file;
        });
    };
    const bool isEval = names(facts.evalFiles) && !names(facts.trainFiles);
    const QString part = isEval ? QStringLiteral("data.eval") : QStringLiteral("data.train");
    return part + '.' + memberOf(session().document(), part);
}

void DataPage::locateTable()
{
    const TableTrouble trouble = troubleNow();
    const QString kind = isOfProject() ? memberOf(session().document(), "data.train") : QString();
    auto* dialog = new QFileDialog(this, tr("Locate %1").arg(QFileInfo(trouble.file).fileName()),
                                   QFileInfo(trouble.file).absolutePath(), tableFileFilters(kind));
    dialog->setObjectName("dialog.locate");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, trouble](const QString& chosen) { tableLocated(trouble, chosen); });
    dialog->open();
}

void DataPage::tableLocated(const TableTrouble& trouble, const QString& chosen)
{
    if (!isOfProject()) {
        session().tables().ask(chosen, session().tables().reading());
        return;
    }
    ExperimentDocument& document = session().document();
    if (const QString field = fileField(trouble.file); !field.isEmpty()) {
        document.setValue(field, QFileInfo(document.file()).absoluteDir().relativeFilePath(chosen));
    }
}

/// The path of the field that names the file itself, not by a pattern; empty if none does.
QString DataPage::fileField(const QString& file) const
{
    const ExperimentDocument& document = session().document();
    const QDir folder = QFileInfo(document.file()).absoluteDir();
    const QString source = sourceOf(file);
    if (document.field(source + ".file") != nullptr) { // of a database
        return source + ".file";
    }
    const FieldNode* files = document.field(source + ".files");
    for (const FieldNode& one : files ? files->children : QList<FieldNode>()) {
        if (QDir::cleanPath(folder.absoluteFilePath(one.text)) == file) {
            return one.path;
        }
    }
    return {};
}

} // namespace cannery::ui
