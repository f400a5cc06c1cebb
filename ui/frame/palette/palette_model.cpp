// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/palette/palette_model.h"

#include "ui/frame/palette/fuzzy_match.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace cannery::ui {
namespace {

using Group = PaletteEntry::Group;

constexpr std::array kGroups{Group::Actions, Group::Pages, Group::Estimators,
                             Group::Runs,    Group::Tags,  Group::Settings};
constexpr int kMostOfGroup = 30;
constexpr int kDisabledPenalty = 4;
/// Below any score of a title.
constexpr int kScoreOfMeaning = -1000;
/// Fewer letters start too many words.
constexpr int kFewestLettersOfMeaning = 3;

QString headingOf(Group group)
{
    switch (group) {
    case Group::Actions:
        return PaletteModel::tr("Actions");
    case Group::Pages:
        return PaletteModel::tr("Pages");
    case Group::Estimators:
        return PaletteModel::tr("Estimators");
    case Group::Runs:
        return PaletteModel::tr("Runs and checkpoints");
    case Group::Tags:
        return PaletteModel::tr("Tags");
    case Group::Settings:
        return PaletteModel::tr("Settings");
    }
    return {};
}

bool shownWithoutLetters(Group group)
{
    return group == Group::Actions || group == Group::Pages;
}

/// Whether each word of the pattern starts a word of the sentence.
bool isMeant(const QString& pattern, const QString& sentence)
{
    static const QRegularExpression kBreaks("[^\\w]+",
                                            QRegularExpression::UseUnicodePropertiesOption);
    if (pattern.size() < kFewestLettersOfMeaning) {
        return false;
    }
    const QStringList words = sentence.toLower().split(kBreaks, Qt::SkipEmptyParts);
    const QStringList wanted = pattern.split(kBreaks, Qt::SkipEmptyParts);
    return !wanted.isEmpty() && std::ranges::all_of(wanted, [&](const QString& part) {
        return std::ranges::any_of(words,
                                   [&](const QString& word) { return word.startsWith(part); });
    });
}

} // namespace

void PaletteModel::setEntries(QList<PaletteEntry> entries)
{
    m_entries = std::move(entries);
    findMatches();
}

void PaletteModel::setPattern(const QString& pattern)
{
    m_pattern = pattern.toLower();
    findMatches();
}

void PaletteModel::findMatches()
{
    beginResetModel();
    std::array<QList<Row>, kGroups.size()> found;
    for (int i = 0; i < m_entries.size(); ++i) {
        const PaletteEntry& entry = m_entries[i];
        if (m_pattern.isEmpty() && !shownWithoutLetters(entry.group)) {
            continue;
        }
        // What cannot be used now comes after what can, if it fits no better.
        const int penalty = entry.enabled ? 0 : kDisabledPenalty;
        QList<Row>& rows = found[static_cast<size_t>(entry.group)];
        if (const auto match = fuzzyMatch(m_pattern, entry.title)) {
            rows.append({i, entry.group, match->positions, match->score - penalty});
        } else if (isMeant(m_pattern, entry.meaning)) {
            // Words of the help count only where the title does not match.
            rows.append({i, entry.group, {}, kScoreOfMeaning - penalty});
        }
    }
    m_rows.clear();
    m_results = 0;
    for (const Group group : kGroups) {
        QList<Row>& rows = found[static_cast<size_t>(group)];
        m_results += static_cast<int>(rows.size());
        std::stable_sort(rows.begin(), rows.end(),
                         [](const Row& a, const Row& b) { return a.score > b.score; });
        if (!rows.isEmpty()) {
            m_rows.append({-1, group, {}, 0});
            // Without letters everything is shown, as in a menu; with them, a longer list than this
            // needs more letters.
            m_rows.append(rows.mid(0, m_pattern.isEmpty() ? rows.size() : kMostOfGroup));
        }
    }
    endResetModel();
}

int PaletteModel::nextRow(int from, int step) const
{
    for (int row = from; row >= 0 && row < m_rows.size(); row += step) {
        if (m_rows[row].entry >= 0) {
            return row;
        }
    }
    return -1;
}

int PaletteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size()) {
        return {};
    }
    const Row& row = m_rows[index.row()];
    if (row.entry < 0) {
        return role == Qt::DisplayRole ? QVariant(headingOf(row.group))
               : role == HeadingRole   ? QVariant(true)
                                       : QVariant();
    }
    const PaletteEntry& entry = m_entries[row.entry];
    switch (role) {
    case Qt::DisplayRole:
        return entry.title;
    case Qt::AccessibleTextRole:
        return entry.detail.isEmpty() ? entry.title : entry.title + ", " + entry.detail;
    case DetailRole:
        return entry.detail;
    case IconRole:
        return entry.icon;
    case KeysRole:
        return entry.keys;
    case PositionsRole:
        return QVariant::fromValue(row.positions);
    case HeadingRole:
        return false;
    case EnabledRole:
        return entry.enabled;
    case TargetRole:
        return entry.target;
    default:
        return {};
    }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const
{
    if (!index.isValid()) {
        return Qt::NoItemFlags;
    }
    if (m_rows[index.row()].entry < 0) {
        return Qt::ItemIsEnabled;
    }
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

} // namespace cannery::ui
