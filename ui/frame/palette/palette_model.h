// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractListModel>
#include <QList>
#include <QStringList>

namespace cannery::ui {

/// Something that the palette can do or show.
struct PaletteEntry
{
    enum class Group
    {
        Actions,
        Pages,
        Estimators,
        Runs,
        Tags,
        Settings,
    };
    Group group = Group::Actions;
    QString title;
    QString detail; ///< grey text after it; why it is disabled
    QString icon;
    QStringList keys; ///< key caps
    QString target;   ///< "action.train", "page:runs", "run:run-012", "tag:loss", "setting:Charts"
    bool enabled = true;
    QString meaning; ///< a sentence whose words find it, too; may be empty
};

/// The matches by group, best first; a heading precedes each group. What only its meaning matches
/// follows what its title matches. Without letters: actions and pages only. GUI thread.
class PaletteModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role
    {
        DetailRole = Qt::UserRole,
        IconRole,
        KeysRole,
        PositionsRole, ///< QList<int>: matched letters of the title
        HeadingRole,
        EnabledRole,
        TargetRole,
    };

    using QAbstractListModel::QAbstractListModel;

    void setEntries(QList<PaletteEntry> entries);
    void setPattern(const QString& pattern);
    int resultCount() const { return m_results; }
    /// The first row that is not a heading, from `from` in steps of `step`; -1: none.
    int nextRow(int from, int step) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row
    {
        int entry = -1; ///< -1: a heading
        PaletteEntry::Group group = PaletteEntry::Group::Actions;
        QList<int> positions;
        int score = 0;
    };
    void findMatches();

    QList<PaletteEntry> m_entries;
    QList<Row> m_rows;
    QString m_pattern;
    int m_results = 0;
};

} // namespace cannery::ui
