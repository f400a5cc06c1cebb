// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/feature_commands.h"

#include "ui/document/experiment_document.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/field_schema.h"
#include "ui/editing/field_values.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/toaster.h"

#include <QMenu>

#include <algorithm>

namespace cannery::ui {

namespace {

/// A name is shown as it is; an ampersand would underline a letter.
QString menuText(QString name)
{
    return name.replace('&', QLatin1String("&&"));
}

QStringList columnNames(const FieldNode& root)
{
    QStringList names;
    for (const FieldNode& column : child(root, "feature_column").children) {
        names.append(valueOf(column, "name"));
    }
    return names;
}

const FieldNode* nodeNamed(const FieldNode& root, const QString& name)
{
    for (const FieldNode& column : child(root, "feature_column").children) {
        if (valueOf(column, "name") == name) {
            return &column;
        }
    }
    return nullptr;
}

/// What each cross combines, sorted.
QList<QStringList> crossedInputs(const FieldNode& root)
{
    QList<QStringList> crosses;
    for (const FieldNode& column : child(root, "feature_column").children) {
        const FieldNode* list = inputList(column);
        QStringList inputs = list && list->isMessage ? inputNames(*list) : QStringList();
        inputs.sort();
        crosses.append(inputs);
    }
    return crosses;
}

int doubleNames(const ExperimentReading& reading)
{
    return int(std::count_if(reading.problems.begin(), reading.problems.end(),
                             [](const ProblemRow& problem) {
                                 return problem.id == QLatin1String("spec.same_tensorflow_name");
                             }));
}

} // namespace

FeatureCommands::FeatureCommands(ExperimentDocument& document, Toaster& toaster, QObject* parent)
    : QObject(parent), m_document(document), m_toaster(toaster)
{}

OfferSource FeatureCommands::source() const
{
    return {.root = &m_document.root(),
            .data = &m_data,
            .rawColumn = m_rawColumn,
            .featureColumn = m_featureColumn,
            .isRawLast = m_isRawLast,
            .widths = &m_widths};
}

QString FeatureCommands::problemOf(const QString& path) const
{
    for (auto problem = m_problems.begin(); problem != m_problems.end(); ++problem) {
        if (problem.key().startsWith(path + u'.')) {
            return problem.value();
        }
    }
    return {};
}

const FieldNode& FeatureCommands::newest()
{
    const QByteArray text = m_document.text().toUtf8();
    // The document's own fields may be older than its text, which the edits are for.
    if (!m_reading || m_reading->bytes != text) {
        m_reading = readExperiment(text, m_document.file());
    }
    return m_reading->root;
}

/// How often a list would have two columns that are called alike in TensorFlow.
int FeatureCommands::doubleNamesWith(const QList<NewColumn>& columns)
{
    const QByteArray text = m_document.text().toUtf8();
    QString error;
    const auto change = editChange(text, addColumnEdits(newest(), columns), error);
    return change ? doubleNames(*readExperiment(change->applied(text), m_document.file())) : 0;
}

/// A model cannot read two columns of the same name in TensorFlow: the new one waits to be used.
QList<NewColumn> FeatureCommands::withoutDoubles(const QList<NewColumn>& columns)
{
    newest();
    const int before = doubleNames(*m_reading);
    if (doubleNamesWith(columns) <= before) {
        return columns;
    }
    QList<NewColumn> single;
    // One after the other, to find out which of them makes a second one.
    for (const NewColumn& column : columns) {
        single.append(column);
        if (doubleNamesWith(single) > before) {
            single.last().wide = single.last().deep = false;
            m_toaster.show(
                tr("Nothing uses %1 yet: the model reads another column of the same data.")
                    .arg(column.name));
        }
    }
    return single;
}

void FeatureCommands::add(const QList<NewColumn>& wanted, const QString& selected)
{
    if (wanted.isEmpty()) {
        return;
    }
    const QList<NewColumn> columns = withoutDoubles(wanted);
    const QString name = columns.first().name;
    const QString title = columns.size() == 1   ? tr("Add %1").arg(name)
                          : columns.size() == 2 ? tr("Add %1 and %2").arg(name, columns.last().name)
                                                : tr("Add %1 feature columns").arg(columns.size());
    if (m_document.apply(title, addColumnEdits(newest(), columns))) {
        Q_EMIT made(selected.isEmpty() ? name : selected);
    }
}

void FeatureCommands::addFor(const QString& rawColumn)
{
    OfferSource from = source();
    from.rawColumn = rawColumn;
    add(sensibleColumns(from));
}

void FeatureCommands::addFor(const QString& rawColumn, FeatureSide side)
{
    OfferSource from = source();
    from.rawColumn = rawColumn;
    add(sensibleColumns(from, side));
}

QString FeatureCommands::crossHindrance() const
{
    OfferSource from = source();
    from.isRawLast = false;
    return cannery::ui::crossHindrance(from);
}

/// Of what was selected last and the first other column that it is not crossed with yet; the chips
/// change it.
void FeatureCommands::addCross()
{
    if (const QString hindrance = cannery::ui::crossHindrance(source()); !hindrance.isEmpty()) {
        m_toaster.show(hindrance);
        return;
    }
    const QStringList names = crossableInOrder(source());
    const QList<QStringList> crosses = crossedInputs(newest());
    for (qsizetype i = 0; i < names.size(); ++i) {
        for (qsizetype j = i + 1; j < names.size(); ++j) {
            QStringList pair{names[i], names[j]};
            const auto cross = crossOf(source(), pair);
            pair.sort();
            if (cross && !crosses.contains(pair)) {
                add({*cross});
                return;
            }
        }
    }
    m_toaster.show(tr("Every pair of these columns is crossed already."));
}

void FeatureCommands::remove(const QString& name)
{
    const QStringList removed = removedWith(newest(), {name});
    const QString title = removed.size() == 1
                              ? tr("Remove %1").arg(name)
                              : tr("Remove %1 and what is made of it: %2")
                                    .arg(name, removed.mid(1).join(QLatin1String(", ")));
    m_document.apply(title, removeColumnEdits(newest(), {name}));
}

void FeatureCommands::duplicate(const QString& name)
{
    const FieldNode* column = nodeNamed(newest(), name);
    if (!column) {
        return;
    }
    const QString copy = freeName(newest(), name);
    if (m_document.apply(
            tr("Duplicate %1").arg(name),
            duplicateColumnEdits(newest(), name, m_document.edits().written(column->path), copy))) {
        Q_EMIT made(copy);
    }
}

bool FeatureCommands::rename(const QString& name, const QString& newName)
{
    const QString wanted = newName.trimmed();
    if (wanted.isEmpty() || wanted == name || columnNames(newest()).contains(wanted)) {
        return false;
    }
    if (m_document.apply(tr("Rename %1 to %2").arg(name, wanted),
                         renameColumnEdits(newest(), name, wanted))) {
        Q_EMIT made(wanted);
    }
    return true;
}

void FeatureCommands::addInput(const QString& column, const QString& input)
{
    const FieldNode* node = nodeNamed(newest(), column);
    const FieldNode* list = node ? inputList(*node) : nullptr;
    if (!list) {
        return;
    }
    const QString value =
        list->isMessage ? "{ " + crossInput(source(), input) + " }" : quoted(input);
    m_document.apply(tr("Add %1 to %2").arg(input, column),
                     {FieldEdit::set(elementPath(list->path, list->children.size()), value)});
}

void FeatureCommands::removeInput(const QString& column, int index)
{
    const FieldNode* node = nodeNamed(newest(), column);
    const FieldNode* list = node ? inputList(*node) : nullptr;
    if (list && index >= 0 && index < list->children.size()) {
        m_document.apply(tr("Remove %1 from %2").arg(inputNames(*list)[index], column),
                         {FieldEdit::remove(elementPath(list->path, index))});
    }
}

bool FeatureCommands::canMove(const QString& name, int by)
{
    const QStringList names = columnNames(newest());
    const qsizetype at = names.indexOf(name);
    return at >= 0 && at + by >= 0 && at + by < names.size();
}

void FeatureCommands::move(const QString& name, int by)
{
    if (!canMove(name, by)) {
        return;
    }
    const int target = int(columnNames(newest()).indexOf(name)) + by;
    if (m_document.apply(tr("Move %1").arg(name), moveColumnEdits(newest(), name, target))) {
        Q_EMIT made(name);
    }
}

void FeatureCommands::moveBefore(const QString& name, const QString& other)
{
    const QStringList names = columnNames(newest());
    const qsizetype from = names.indexOf(name);
    qsizetype target = other.isEmpty() ? names.size() : names.indexOf(other);
    if (from < 0 || target < 0) {
        return;
    }
    // Those behind it move up when it is taken out.
    target -= target > from ? 1 : 0;
    const QList<FieldEdit> edits = moveColumnEdits(newest(), name, int(target));
    if (!edits.isEmpty() && m_document.apply(tr("Move %1").arg(name), edits)) {
        Q_EMIT made(name);
    }
}

void FeatureCommands::drop(const QString& name, FeatureSide side, bool also, QMenu& menu)
{
    const FieldNode* column = nodeNamed(newest(), name);
    if (!column) {
        return;
    }
    bool isWide = false;
    bool isDeep = false;
    for (const ColumnList& list : columnLists(newest())) {
        (list.isDense ? isDeep : isWide) |= list.names.contains(name);
    }
    const QString inner = valueOf(kindNode(*column), "categorical_column");
    if (side == FeatureSide::Unused) {
        use(name, false, false);
    } else if (side == FeatureSide::Deep && !givesDense(*column)) {
        // A network reads numbers: categories are wrapped first, in a way that the user chooses.
        fillWrapMenu(menu, name);
    } else if (side == FeatureSide::Wide && !givesIds(*column) && !inner.isEmpty()) {
        // A linear model reads the categories themselves; it can read the vectors, too.
        QAction* categories =
            menu.addAction(tr("Wide, as the Categories of %1").arg(menuText(inner)));
        categories->setObjectName("use.categories");
        connect(categories, &QAction::triggered, this, [this, inner] { useOn(inner, false); });
        QAction* same = menu.addAction(tr("Wide, as It Is"));
        same->setObjectName("use.as_it_is");
        connect(same, &QAction::triggered, this,
                [this, name, also, isDeep] { use(name, true, also && isDeep); });
    } else {
        const bool toDeep = side == FeatureSide::Deep;
        use(name, !toDeep || (also && isWide), toDeep || (also && isDeep));
    }
}

/// One side more.
void FeatureCommands::useOn(const QString& name, bool deepSide)
{
    bool isWide = !deepSide;
    bool isDeep = deepSide;
    for (const ColumnList& list : columnLists(newest())) {
        (list.isDense ? isDeep : isWide) |= list.names.contains(name);
    }
    use(name, isWide, isDeep);
}

void FeatureCommands::use(const QString& name, bool wide, bool deep)
{
    const QList<FieldEdit> edits = useColumnEdits(newest(), name, wide, deep);
    if (!edits.isEmpty() && m_document.apply(tr("Use of %1").arg(name), edits)) {
        Q_EMIT made(name);
    }
}

void FeatureCommands::fillAddMenu(QMenu& menu)
{
    menu.setToolTipsVisible(true);
    auto* suited = menu.addMenu(tr("What Suits a Column"));
    suited->setObjectName("menu.suited");
    for (const ColumnFacts& column : m_data.columns) {
        if (column.use != QLatin1String("label")) {
            QAction* entry = suited->addAction(menuText(column.name));
            connect(entry, &QAction::triggered, this, [this, name = column.name] { addFor(name); });
        }
    }
    suited->setEnabled(!suited->isEmpty());
    menu.addSeparator();
    OfferSource from = source();
    from.root = &newest();
    for (const FeatureOffer& offer : featureOffers(from)) {
        QAction* entry = menu.addAction(menuText(offer.label));
        entry->setObjectName("offer." + offer.kind);
        setHindrance(entry, offer.hindrance, offer.help);
        connect(entry, &QAction::triggered, this,
                [this, columns = offer.columns] { add(columns, columns.last().name); });
    }
}

void FeatureCommands::fillUseMenu(QMenu& menu, const FeatureFacts& feature)
{
    menu.setToolTipsVisible(true);
    const FieldNode* column = nodeNamed(m_document.root(), feature.name);
    const QList<ColumnList> lists = columnLists(m_document.root());
    const bool isWide = feature.side == FeatureSide::Wide || feature.side == FeatureSide::Both;
    const bool isDeep = feature.side == FeatureSide::Deep || feature.side == FeatureSide::Both;
    const bool isDense = column && givesDense(*column);
    const bool isSteps = column && hasSteps(m_document.root(), *column);
    bool hasDeepSide = false;
    bool isReadable = lists.isEmpty();
    for (const ColumnList& list : lists) {
        if (list.isSteps != isSteps) {
            continue;
        }
        isReadable = true;
        hasDeepSide |= list.isDense;
        QAction* entry = menu.addAction(list.isDense ? tr("Deep") : tr("Wide"));
        entry->setObjectName(list.isDense ? "use.deep" : "use.wide");
        entry->setCheckable(true);
        entry->setChecked(list.isDense ? isDeep : isWide);
        setHindrance(entry,
                     list.isDense && !isDense && !isDeep
                         ? tr("A network needs numbers: use an indicator or an embedding of it.")
                         : QString());
        connect(entry, &QAction::triggered, this,
                [this, name = feature.name, dense = list.isDense, isWide, isDeep](bool on) {
                    use(name, dense ? isWide : on, dense ? on : isDeep);
                });
    }
    if (lists.isEmpty() || !isReadable) {
        QAction* none =
            menu.addAction(lists.isEmpty() ? tr("The estimator takes no feature columns")
                                           : tr("Only recurrent networks read sequences"));
        none->setEnabled(false);
    }
    if (hasDeepSide && !isDense) {
        fillWrapMenu(menu, feature.name);
    }
}

/// How a column of categories can be made dense.
void FeatureCommands::fillWrapMenu(QMenu& menu, const QString& name)
{
    menu.setToolTipsVisible(true);
    OfferSource from = source();
    from.featureColumn = name;
    for (const FeatureOffer& offer : denseOffers(from)) {
        QAction* entry = menu.addAction(tr("Deep, as %1").arg(menuText(offer.label)));
        entry->setObjectName("wrap." + offer.kind);
        entry->setToolTip(offer.help);
        connect(entry, &QAction::triggered, this,
                [this, columns = offer.columns] { add(columns); });
    }
}

void FeatureCommands::fillColumnMenu(QMenu& menu, const FeatureFacts& feature)
{
    const QString name = feature.name;
    const auto entry = [&](const QString& text, const char* id, const QKeySequence& keys,
                           auto command) {
        QAction* action = menu.addAction(text);
        action->setObjectName(QLatin1String(id));
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, command);
        return action;
    };
    fillUseMenu(menu, feature);
    menu.addSeparator();
    entry(tr("Rename"), "column.rename", Qt::Key_F2,
          [this, name] { Q_EMIT renameRequested(name); });
    entry(tr("Duplicate"), "column.duplicate", {}, [this, name] { duplicate(name); });
    entry(tr("Move Up"), "column.up", Qt::ALT | Qt::Key_Up, [this, name] {
        move(name, -1);
    })->setEnabled(canMove(name, -1));
    entry(tr("Move Down"), "column.down", Qt::ALT | Qt::Key_Down, [this, name] {
        move(name, 1);
    })->setEnabled(canMove(name, 1));
    menu.addSeparator();
    entry(tr("Remove"), "column.remove", Qt::Key_Delete, [this, name] { remove(name); });
}

} // namespace cannery::ui
