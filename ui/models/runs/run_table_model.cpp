// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/run_table_model.h"

#include "ui/models/formats.h"

#include <QDateTime>
#include <QMimeData>

#include <cmath>
#include <limits>

namespace cannery::ui {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Lists share their storage if the catalog did not read the run again.
template <typename List>
bool isSameList(const List& a, const List& b)
{
    return a.constData() == b.constData() && a.size() == b.size();
}

/// True if nothing that the table shows can have changed.
bool looksSame(const RunRow& a, const RunRow& b)
{
    return a.state == b.state && a.globalStep == b.globalStep && a.title == b.title &&
           a.starred == b.starred && a.trashed == b.trashed && a.colourSlot == b.colourSlot &&
           a.tags == b.tags && a.notes == b.notes && a.error == b.error &&
           a.startedAt == b.startedAt && a.finishedAt == b.finishedAt &&
           a.secondsBefore == b.secondsBefore && isSameList(a.metrics, b.metrics) &&
           isSameList(a.parameters, b.parameters);
}

QStringList namesOf(const ProjectSnapshot& snapshot)
{
    QStringList names;
    names.reserve(snapshot.runs.size());
    for (const RunRow& run : snapshot.runs) {
        names.append(run.name);
    }
    return names;
}

/// What a first click on a header brings to the top: the best, the newest, the starred.
Qt::SortOrder firstOrder(const RunColumn& column)
{
    const bool isDescending = columnDirection(column).value_or(
        column.kind == RunColumn::Kind::Started || column.kind == RunColumn::Kind::Star ||
        column.kind == RunColumn::Kind::Eye);
    return isDescending ? Qt::DescendingOrder : Qt::AscendingOrder;
}

} // namespace

RunTableModel::RunTableModel(QObject* parent)
    : TableModel(parent), m_snapshot(std::make_shared<const ProjectSnapshot>()),
      m_columns(fixedColumns())
{}

void RunTableModel::setSnapshot(const ProjectSnapshotPtr& snapshot)
{
    const ProjectSnapshotPtr before = m_snapshot;
    const QSet<QString> shownBefore = m_shown;
    adoptNewRuns(*snapshot);
    // The usual case while a run trains: no row comes or goes.
    if (namesOf(*before) == namesOf(*snapshot)) {
        m_snapshot = snapshot;
        findBest();
        announceChanges(*before);
    } else {
        moveRowsTo(snapshot);
    }
    if (m_shown != shownBefore) {
        Q_EMIT shownChanged();
    }
}

/// Runs that appear while the window is open are shown.
void RunTableModel::adoptNewRuns(const ProjectSnapshot& snapshot)
{
    if (snapshot.runs.isEmpty()) {
        return;
    }
    int shown = 0;
    for (const RunRow& run : snapshot.runs) {
        if (m_known.contains(run.name)) {
            continue;
        }
        m_known.insert(run.name);
        if (!run.trashed && (m_hasKnown || shown < kShownAtFirst)) {
            m_shown.insert(run.name);
            ++shown;
        }
    }
    m_hasKnown = true;
}

/// Removes the missing rows and inserts the new ones; a different order of the rest is rare and
/// reported as a layout change.
void RunTableModel::moveRowsTo(const ProjectSnapshotPtr& snapshot)
{
    const QStringList names = namesOf(*snapshot);
    const QSet<QString> wanted(names.begin(), names.end());
    // A copy that is changed row by row, so that the model agrees with each signal while it is
    // handled.
    auto rows = std::make_shared<ProjectSnapshot>(*m_snapshot);
    m_snapshot = rows;
    // From the end: the numbers of the rows before stay valid.
    for (qsizetype i = rows->runs.size() - 1; i >= 0; --i) {
        if (!wanted.contains(rows->runs.at(i).name)) {
            beginRemoveRows({}, static_cast<int>(i), static_cast<int>(i));
            rows->runs.removeAt(i);
            endRemoveRows();
        }
    }
    const QStringList keptNames = namesOf(*rows);
    const QSet<QString> kept(keptNames.begin(), keptNames.end());
    for (qsizetype i = 0; i < names.size(); ++i) {
        if (!kept.contains(names.at(i))) {
            const qsizetype at = std::min(i, rows->runs.size());
            beginInsertRows({}, static_cast<int>(at), static_cast<int>(at));
            rows->runs.insert(at, snapshot->runs.at(i));
            endInsertRows();
        }
    }
    if (namesOf(*rows) != names) {
        beginResetModel();
        m_snapshot = snapshot;
        findBest();
        endResetModel();
        return;
    }
    m_snapshot = snapshot;
    findBest();
    announceChanges(*rows);
}

void RunTableModel::announceChanges(const ProjectSnapshot& before)
{
    qsizetype first = -1;
    // Neighbours are announced together; one turn beyond the end closes the last range.
    for (qsizetype i = 0; i <= m_snapshot->runs.size(); ++i) {
        const bool isChanged =
            i < m_snapshot->runs.size() && !looksSame(before.runs.at(i), m_snapshot->runs.at(i));
        if (isChanged && first < 0) {
            first = i;
        }
        if (!isChanged && first >= 0) {
            Q_EMIT dataChanged(index(static_cast<int>(first), 0),
                               index(static_cast<int>(i - 1), columnCount() - 1));
            first = -1;
        }
    }
}

void RunTableModel::findBest()
{
    m_best.clear();
    for (const RunColumn& column : std::as_const(m_columns)) {
        double best = kNothing;
        const std::optional<bool> direction = columnDirection(column);
        for (const RunRow& run : m_snapshot->runs) {
            const std::optional<double> value =
                direction && !run.trashed ? columnNumber(run, column) : std::nullopt;
            if (value && !std::isnan(*value) &&
                (std::isnan(best) || (*direction ? *value > best : *value < best))) {
                best = *value;
            }
        }
        m_best.append(best);
    }
}

const RunRow* RunTableModel::row(int row) const
{
    return row >= 0 && row < m_snapshot->runs.size() ? &m_snapshot->runs.at(row) : nullptr;
}

int RunTableModel::rowOf(const QString& run) const
{
    for (qsizetype i = 0; i < m_snapshot->runs.size(); ++i) {
        if (m_snapshot->runs.at(i).name == run) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

void RunTableModel::setColumns(const QList<RunColumn>& columns)
{
    if (columns == m_columns) {
        return;
    }
    beginResetModel();
    m_columns = columns;
    findBest();
    endResetModel();
    Q_EMIT columnsChanged();
}

int RunTableModel::columnOf(RunColumn::Kind kind) const
{
    for (qsizetype i = 0; i < m_columns.size(); ++i) {
        if (m_columns.at(i).kind == kind) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

void RunTableModel::setShown(const QStringList& runs, bool shown)
{
    const QSet<QString> before = m_shown;
    for (const QString& run : runs) {
        if (shown) {
            m_shown.insert(run);
        } else {
            m_shown.remove(run);
        }
    }
    if (m_shown == before) {
        return;
    }
    for (const QString& run : runs) {
        if (const int row = rowOf(run); row >= 0) {
            Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
        }
    }
    Q_EMIT shownChanged();
}

QStringList RunTableModel::shownRuns() const
{
    QStringList shown;
    for (const RunRow& run : m_snapshot->runs) {
        if (m_shown.contains(run.name)) {
            shown.append(run.name);
        }
    }
    return shown;
}

void RunTableModel::restoreShown(const QStringList& shown, const QStringList& known)
{
    // Names may be of runs that are gone or not read yet, so they are not checked.
    m_shown = QSet<QString>(shown.begin(), shown.end());
    m_known = QSet<QString>(known.begin(), known.end());
    // Without a remembered list, the next snapshot counts as the first: only its newest runs are
    // shown.
    m_hasKnown = !known.isEmpty();
    if (rowCount() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
    Q_EMIT shownChanged();
}

QStringList RunTableModel::knownRuns() const
{
    QStringList known(m_known.begin(), m_known.end());
    known.sort();
    return known;
}

void RunTableModel::setBaseline(const QString& run)
{
    if (run == m_baseline) {
        return;
    }
    m_baseline = run;
    if (rowCount() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

QVariant RunTableModel::displayData(const RunRow& run, const RunColumn& column) const
{
    // Other fixed columns are painted by the delegate: eye, swatch, star, state.
    if (column.kind == RunColumn::Kind::Name || !column.isFixed()) {
        return columnText(run, column);
    }
    return {};
}

QVariant RunTableModel::sortData(const RunRow& run, const RunColumn& column) const
{
    if (column.kind == RunColumn::Kind::Eye) {
        return isShown(run.name) ? 1 : 0;
    }
    if (const std::optional<double> number = columnNumber(run, column)) {
        // An invalid value sorts last in both orders.
        return std::isnan(*number) ? QVariant() : QVariant(*number);
    }
    const QString text = columnText(run, column);
    return text.isEmpty() ? QVariant() : QVariant(text);
}

QString RunTableModel::deltaText(const RunRow& run, const RunColumn& column) const
{
    if (m_baseline.isEmpty() || column.kind != RunColumn::Kind::Metric || run.name == m_baseline) {
        return {};
    }
    const RunRow* baseline = m_snapshot->find(m_baseline);
    const std::optional<double> base = baseline ? columnNumber(*baseline, column) : std::nullopt;
    const std::optional<double> value = columnNumber(run, column);
    if (!base || !value || std::isnan(*base) || std::isnan(*value)) {
        return {};
    }
    const double delta = *value - *base;
    return delta > 0 ? '+' + formatNumber(delta, 2) : formatNumber(delta, 2);
}

QVariant RunTableModel::toolTip(const RunRow& run, const RunColumn& column) const
{
    switch (column.kind) {
    case RunColumn::Kind::Name:
        return run.error.isEmpty() ? run.name : run.error;
    case RunColumn::Kind::State:
        return run.reason.isEmpty() ? displayName(run.state)
                                    : tr("%1: %2").arg(displayName(run.state), run.reason);
    case RunColumn::Kind::Eye:
        return isShown(run.name) ? tr("Shown; Space hides") : tr("Hidden; Space shows");
    case RunColumn::Kind::Colour:
        return tr("Change the colour");
    case RunColumn::Kind::Star:
        return run.starred ? tr("Starred") : tr("Not starred");
    case RunColumn::Kind::Started:
        return run.startedAt.isValid() ? formatMoment(run.startedAt) : QString();
    case RunColumn::Kind::Metric: {
        const std::optional<double> number = columnNumber(run, column);
        return number ? formatExact(*number) : tr("This run has no %1").arg(column.key);
    }
    case RunColumn::Kind::Notes:
        return run.notes;
    default:
        return columnText(run, column);
    }
}

QString RunTableModel::accessibleText(const RunRow& run, const RunColumn& column) const
{
    switch (column.kind) {
    case RunColumn::Kind::Name:
        return run.displayName() + ", " + run.subtitle() + ", " + displayName(run.state);
    case RunColumn::Kind::Eye:
        return isShown(run.name) ? tr("shown") : tr("hidden");
    case RunColumn::Kind::Colour:
        return tr("colour %1").arg(run.colourSlot + 1);
    case RunColumn::Kind::Star:
        return run.starred ? tr("starred") : tr("not starred");
    default: {
        const QString text = columnText(run, column);
        return text.isEmpty() ? tr("no value") : headerText(column) + ' ' + text;
    }
    }
}

QVariant RunTableModel::cell(int row, int column, int role) const
{
    const RunRow& run = m_snapshot->runs.at(row);
    const RunColumn& shown = m_columns.at(column);
    switch (role) {
    case Qt::DisplayRole:
        return displayData(run, shown);
    case Qt::EditRole:
        return shown.kind == RunColumn::Kind::Name ? run.displayName() : QVariant();
    case Qt::ToolTipRole:
        return toolTip(run, shown);
    case Qt::AccessibleTextRole:
        return accessibleText(run, shown);
    case RunRole:
        return run.name;
    case KindRole:
        return static_cast<int>(shown.kind);
    case SortRole:
        return sortData(run, shown);
    case SubtitleRole:
        return run.error.isEmpty() ? run.subtitle() : run.error;
    case StateRole:
        return static_cast<int>(run.state);
    case SlotRole:
        return run.colourSlot;
    case ShownRole:
        return isShown(run.name);
    case StarRole:
        return run.starred;
    case DeltaRole:
        return deltaText(run, shown);
    case BestRole:
        // NaN equals nothing, so a column without a best has none.
        return columnNumber(run, shown) == m_best.at(column);
    case ErrorRole:
        return run.error;
    case BaselineRole:
        return run.name == m_baseline;
    default:
        return {};
    }
}

bool RunTableModel::isNumber(int column) const
{
    const RunColumn& shown = m_columns.at(column);
    return shown.isNumber() || shown.kind == RunColumn::Kind::Parameter;
}

QVariant RunTableModel::header(int column, int role) const
{
    const RunColumn& shown = m_columns.at(column);
    switch (role) {
    case Qt::DisplayRole:
        return headerText(shown);
    case Qt::InitialSortOrderRole:
        return static_cast<int>(firstOrder(shown));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        return description(shown);
    case MetricRole:
        return shown.kind == RunColumn::Kind::Metric ? shown.key : QString();
    case FieldRole:
        return shown.kind == RunColumn::Kind::Parameter ? shown.key : QString();
    default:
        return {};
    }
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const RunRow* run = row(index.row());
    if (!run || role != Qt::EditRole ||
        m_columns.at(index.column()).kind != RunColumn::Kind::Name) {
        return false;
    }
    const QString title = value.toString().trimmed();
    if (title == run->displayName()) {
        return false;
    }
    // The title changes when the catalog has it: the model only shows. The folder's name as a title
    // means none.
    Q_EMIT renameRequested(run->name, title == run->name ? QString() : title);
    return true;
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const
{
    const RunRow* run = row(index.row());
    if (!run) {
        return Qt::NoItemFlags;
    }
    Qt::ItemFlags flags =
        Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
    if (m_columns.at(index.column()).kind == RunColumn::Kind::Name &&
        m_snapshot->changeHindrance(run).isEmpty()) {
        flags |= Qt::ItemIsEditable;
    }
    return flags;
}

QStringList RunTableModel::mimeTypes() const
{
    return {QString::fromLatin1(kMimeType), QStringLiteral("text/plain")};
}

QMimeData* RunTableModel::mimeData(const QModelIndexList& indexes) const
{
    QStringList names;
    for (const QModelIndex& index : indexes) {
        const QString name = index.data(RunRole).toString();
        if (!names.contains(name)) {
            names.append(name);
        }
    }
    auto* mime = new QMimeData;
    mime->setData(QString::fromLatin1(kMimeType), names.join('\n').toUtf8());
    mime->setText(names.join('\n'));
    return mime;
}

} // namespace cannery::ui
