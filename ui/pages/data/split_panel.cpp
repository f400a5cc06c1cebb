// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/split_panel.h"

#include "ui/document/experiment_document.h"
#include "ui/document/table_files.h"
#include "ui/editing/field_values.h"
#include "ui/models/formats.h"
#include "ui/pages/data/split_bar.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kFraction = QStringLiteral("data.split.fraction");
const QString kFold = QStringLiteral("data.split.fold");
const QString kByColumn = QStringLiteral("data.split.by_column");
const QString kByTime = QStringLiteral("data.split.by_time");
constexpr int kSeedWidth = 64;
constexpr int kFoldWidth = 44;
constexpr int kTimeWidth = 150;

} // namespace

SplitPanel::SplitPanel(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_ways(new QComboBox),
      m_seedWord(new Label(tr("seed"), TextRole::Body, Ink::Secondary)), m_seed(new QLineEdit),
      m_fold(new QLineEdit), m_foldsWord(new Label(tr("of"), TextRole::Body, Ink::Secondary)),
      m_folds(new QLineEdit), m_stratify(new QCheckBox(tr("stratify"))), m_column(new QComboBox),
      m_values(new QToolButton), m_valueMenu(new QMenu(this)), m_from(new QLineEdit),
      m_file(new Label({}, TextRole::Body, Ink::Secondary)),
      m_chooseFile(new Button(Button::Kind::Plain, tr("Choose File…"))), m_bar(new SplitBar)
{
    setObjectName("split");
    auto* outer = new QHBoxLayout(this);
    outer->setContentsMargins(0, scaled(4), 0, 0);
    auto* row = new AdaptiveRow;
    outer->addWidget(row);
    auto* fields = new QWidget;
    addFields(fields);
    row->addPart(fields, 1);
    row->addPart(m_bar, 1, 260);
    ExperimentDocument& document = session.document();
    connect(m_ways, &QComboBox::activated, this, [this](int index) {
        changeWay(static_cast<SplitWay>(m_ways->itemData(index).toInt()));
    });
    editNumber(m_seed, QStringLiteral("seed"));
    editNumber(m_fold, QStringLiteral("fold"));
    editNumber(m_folds, QStringLiteral("folds"));
    connect(m_stratify, &QCheckBox::clicked, this, [this, &document](bool on) {
        // False is the default and need not be written.
        document.setValue(drawnPath() + QStringLiteral(".stratify"), on ? "true" : QString());
    });
    connect(m_column, &QComboBox::textActivated, this, &SplitPanel::changeColumn);
    connect(m_from, &QLineEdit::editingFinished, this, [this, &document] {
        const QString path = kByTime + QStringLiteral(".eval_from");
        if (m_way == SplitWay::Time && m_from->text() != document.value(path)) {
            document.setValue(path, quoted(m_from->text()));
        }
    });
    connect(m_valueMenu, &QMenu::aboutToShow, this, &SplitPanel::fillValues);
    connect(m_chooseFile, &QPushButton::clicked, this, &SplitPanel::chooseFile);
    connect(m_bar, &SplitBar::fractionMoved, this, &SplitPanel::moveTo);
    connect(m_bar, &SplitBar::moveEnded, &document.edits(), &ExperimentEdits::endTyping);
    connect(&document, &ExperimentDocument::changed, this, &SplitPanel::refresh);
    refresh();
}

void SplitPanel::addFields(QWidget* row)
{
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, scaled(16), 0);
    line->setSpacing(scaled(10));
    line->addWidget(new Label(tr("Split"), TextRole::Strong));
    const auto name = [&](QWidget* widget, const char* objectName, const QString& accessible) {
        widget->setObjectName(objectName);
        widget->setAccessibleName(accessible);
        line->addWidget(widget);
    };
    m_ways->addItem(tr("At random"), int(SplitWay::Random));
    m_ways->addItem(tr("By fold"), int(SplitWay::Fold));
    m_ways->addItem(tr("By column"), int(SplitWay::Column));
    m_ways->addItem(tr("By time"), int(SplitWay::Time));
    m_ways->addItem(tr("Second file"), int(SplitWay::File));
    m_ways->addItem(tr("None"), int(SplitWay::None));
    name(m_ways, "field.split_way", tr("Way of splitting"));
    name(m_fold, "field.split_fold", tr("Fold that is held back, from 0"));
    line->addWidget(m_foldsWord);
    name(m_folds, "field.split_folds", tr("Number of folds"));
    for (QLineEdit* field : {m_fold, m_folds}) {
        field->setFixedWidth(scaled(kFoldWidth));
    }
    line->addWidget(m_seedWord);
    name(m_seed, "field.split_seed", tr("Seed of the split"));
    m_seed->setFixedWidth(scaled(kSeedWidth));
    name(m_stratify, "field.split_stratify", tr("Stratify by the label"));
    m_stratify->setToolTip(tr("Both parts have the same class proportions."));
    name(m_column, "field.split_column", tr("Column to split by"));
    name(m_values, "field.split_values", tr("Values for evaluation"));
    m_values->setPopupMode(QToolButton::InstantPopup);
    m_values->setMenu(m_valueMenu);
    m_valueMenu->setObjectName("menu.split_values");
    name(m_from, "field.split_from", tr("First time for evaluation"));
    m_from->setFixedWidth(scaled(kTimeWidth));
    name(m_file, "label.split_file", tr("File with the evaluation rows"));
    name(m_chooseFile, "button.split_file", tr("Choose the file with the evaluation rows"));
    line->addStretch(1);
}

void SplitPanel::setData(const DataFacts& facts)
{
    m_facts = facts;
    refresh();
}

void SplitPanel::choose()
{
    m_ways->setFocus(Qt::OtherFocusReason);
    m_ways->showPopup();
}

// Both ways draw rows, and have the same fields in their own messages.
QString SplitPanel::drawnPath() const
{
    return m_way == SplitWay::Fold ? kFold : kFraction;
}

void SplitPanel::editNumber(QLineEdit* field, const QString& name)
{
    connect(field, &QLineEdit::editingFinished, this, [this, field, name] {
        ExperimentDocument& document = m_session->document();
        const QString path = drawnPath() + '.' + name;
        // Leaving a field without a change must not write its default into the file.
        if (field->isVisibleTo(this) && field->text() != document.value(path)) {
            document.setValue(path, field->text());
        }
    });
}

QString SplitPanel::columnNow() const
{
    const QString path = m_way == SplitWay::Time ? kByTime : kByColumn;
    return m_session->document().value(path + QStringLiteral(".column"));
}

void SplitPanel::changeWay(SplitWay way)
{
    ExperimentDocument& document = m_session->document();
    if (way == m_way) {
        return;
    }
    if (way == SplitWay::File) {
        chooseFile();
    } else {
        document.apply(tr("Split: %1").arg(m_ways->itemText(m_ways->findData(int(way)))),
                       splitEdits(document, way, m_facts));
    }
    // Also if nothing was chosen: the box then shows the way that is set.
    refresh();
}

void SplitPanel::changeColumn(const QString& column)
{
    ExperimentDocument& document = m_session->document();
    if (column != columnNow()) {
        document.apply(tr("Split by %1").arg(column), splitEdits(document, m_way, m_facts, column));
    }
}

void SplitPanel::chooseFile()
{
    // As tables are named in experiments: from the experiment's folder.
    const QDir folder = QFileInfo(m_session->document().file()).absoluteDir();
    auto* dialog =
        new QFileDialog(this, tr("File with Evaluation Rows"), folder.path(), tableFileFilters());
    dialog->setObjectName("dialog.split_file");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, folder](const QString& file) {
        ExperimentDocument& document = m_session->document();
        document.apply(
            tr("Evaluate on %1").arg(QFileInfo(file).fileName()),
            splitEdits(document, SplitWay::File, m_facts, folder.relativeFilePath(file)));
    });
    dialog->open();
}

/// Without any split, moving the cut begins one at random.
void SplitPanel::moveTo(double fraction)
{
    ExperimentDocument& document = m_session->document();
    if (m_way == SplitWay::Time) {
        const ColumnFacts* column = m_facts.find(columnNow());
        const QString time = column == nullptr ? QString() : timeFor(column->times, fraction);
        if (!time.isEmpty()) {
            document.edits().typeValue(kByTime + QStringLiteral(".eval_from"), quoted(time));
        }
        return;
    }
    document.edits().typeValue(kFraction + QStringLiteral(".eval_fraction"),
                               QString::number(fraction));
}

void SplitPanel::refresh()
{
    const ExperimentDocument& document = m_session->document();
    m_way = splitWayOf(document);
    setEnabled(document.isOpen() && !m_session->project().isReadOnly());
    refreshWays();
    refreshFields();
    refreshBar();
}

void SplitPanel::refreshWays()
{
    m_ways->setCurrentIndex(m_ways->findData(int(m_way)));
    auto* items = qobject_cast<QStandardItemModel*>(m_ways->model());
    for (int i = 0; items != nullptr && i < m_ways->count(); ++i) {
        const auto way = static_cast<SplitWay>(m_ways->itemData(i).toInt());
        // The way that is set stays available, whatever the data.
        const QString hindrance = way == m_way ? QString() : splitHindrance(way, m_facts);
        items->item(i)->setEnabled(hindrance.isEmpty());
        items->item(i)->setToolTip(hindrance);
    }
}

void SplitPanel::refreshFields()
{
    const ExperimentDocument& document = m_session->document();
    const bool isByColumn = m_way == SplitWay::Column;
    const bool isFold = m_way == SplitWay::Fold;
    const bool isDrawn = m_way == SplitWay::Random || isFold;
    for (QWidget* widget : {static_cast<QWidget*>(m_seedWord), static_cast<QWidget*>(m_seed),
                            static_cast<QWidget*>(m_stratify)}) {
        widget->setVisible(isDrawn);
    }
    for (QWidget* widget : {static_cast<QWidget*>(m_fold), static_cast<QWidget*>(m_foldsWord),
                            static_cast<QWidget*>(m_folds)}) {
        widget->setVisible(isFold);
    }
    m_column->setVisible(isByColumn || m_way == SplitWay::Time);
    m_values->setVisible(isByColumn);
    m_from->setVisible(m_way == SplitWay::Time);
    m_file->setVisible(m_way == SplitWay::File);
    m_chooseFile->setVisible(m_way == SplitWay::File);
    for (const auto& [field, name] :
         {std::pair{m_seed, ".seed"}, {m_fold, ".fold"}, {m_folds, ".folds"}}) {
        if (!field->hasFocus()) {
            field->setText(document.value(drawnPath() + QLatin1String(name)));
        }
    }
    m_stratify->setChecked(document.value(drawnPath() + QStringLiteral(".stratify")) ==
                           QLatin1String("true"));
    if (!m_from->hasFocus()) {
        m_from->setText(document.value(kByTime + QStringLiteral(".eval_from")));
    }
    QStringList columns = isByColumn ? valueColumns(m_facts) : timeColumns(m_facts);
    // A column that the file names and the data do not have is shown nevertheless.
    if (const QString now = columnNow(); !now.isEmpty() && !columns.contains(now)) {
        columns.prepend(now);
    }
    const QSignalBlocker blocker(m_column);
    m_column->clear();
    m_column->addItems(columns);
    m_column->setCurrentIndex(static_cast<int>(columns.indexOf(columnNow())));
    const FieldNode* values = document.field(kByColumn + QStringLiteral(".eval_values"));
    const QStringList chosen = values == nullptr ? QStringList() : valuesOf(*values);
    m_values->setText(chosen.isEmpty() ? tr("Choose values…")
                                       : tr("evaluate on %1").arg(chosen.join(tr(", "))));
    const FieldNode* file = document.field(QStringLiteral("data.eval"));
    QStringList files;
    for (const FieldNode* named :
         file == nullptr ? QList<const FieldNode*>() : file->naming({FieldNames::File})) {
        files << QFileInfo(named->text).fileName();
    }
    m_file->setText(files.join(tr(", ")));
}

void SplitPanel::refreshBar()
{
    const ExperimentDocument& document = m_session->document();
    const qint64 evaluation = std::max<qint64>(0, m_facts.evalRows);
    const auto all = static_cast<double>(m_facts.trainRows + evaluation);
    double fraction = all > 0 ? static_cast<double>(evaluation) / all : 0;
    bool isMovable = m_way == SplitWay::Random || m_way == SplitWay::None;
    // What is set, not what was counted: it is ahead of the count while it is moved.
    if (m_way == SplitWay::Random) {
        fraction = document.value(kFraction + QStringLiteral(".eval_fraction")).toDouble();
    }
    const ColumnFacts* column = m_facts.find(columnNow());
    if (m_way == SplitWay::Time && column != nullptr && column->times.size() > 1) {
        isMovable = true;
        fraction =
            fractionFrom(column->times, document.value(kByTime + QStringLiteral(".eval_from")));
    }
    m_bar->setRows(m_facts.trainRows, m_facts.evalRows);
    m_bar->setMovable(isMovable && isEnabled(), fraction);
}

/// Every value with its rows; those for evaluation are checked.
void SplitPanel::fillValues()
{
    m_valueMenu->clear();
    const FieldNode* values =
        m_session->document().field(kByColumn + QStringLiteral(".eval_values"));
    const QStringList chosen = values == nullptr ? QStringList() : valuesOf(*values);
    const ColumnFacts* column = m_facts.find(columnNow());
    for (const ValueRows& value : column == nullptr ? QList<ValueRows>() : column->values) {
        auto* entry = m_valueMenu->addAction(
            tr("%1  ·  %2 rows").arg(value.value, formatCount(value.rows())));
        entry->setCheckable(true);
        entry->setChecked(chosen.contains(value.value));
        connect(entry, &QAction::toggled, this,
                [this, text = value.value](bool on) { toggleValue(text, on); });
    }
}

void SplitPanel::toggleValue(const QString& value, bool isEvaluation)
{
    ExperimentDocument& document = m_session->document();
    const QString path = kByColumn + QStringLiteral(".eval_values");
    const FieldNode* values = document.field(path);
    QStringList chosen = values == nullptr ? QStringList() : valuesOf(*values);
    chosen.removeAll(value);
    if (isEvaluation) {
        chosen << value;
    }
    document.apply(
        isEvaluation ? tr("Evaluate on %1").arg(value) : tr("Train on %1").arg(value),
        {chosen.isEmpty() ? FieldEdit::remove(path) : FieldEdit::set(path, quotedList(chosen))});
}

} // namespace cannery::ui
