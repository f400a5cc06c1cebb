// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/curves/tag_list_model.h"

#include <QMap>
#include <QMimeData>

namespace cannery::ui {
namespace {

// Our own tags, which TensorFlow does not write.
constexpr QLatin1String kOwnGroup("cannery");

bool isPlain(const QString& text)
{
    static const QString kSpecial = QStringLiteral("\\^$.*+?()[]{}");
    for (const QChar letter : text) {
        if (kSpecial.contains(letter)) {
            return false;
        }
    }
    return true;
}

} // namespace

TagMatcher::TagMatcher(const QString& text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty()) {
        return;
    }
    if (isPlain(trimmed)) {
        // A bar between plain words means "or", without the cost of an expression.
        m_parts = trimmed.split('|', Qt::SkipEmptyParts);
        return;
    }
    m_expression = BoundedPattern(trimmed, QRegularExpression::CaseInsensitiveOption |
                                               QRegularExpression::DontCaptureOption);
    m_isExpression = m_expression.isValid();
    if (!m_isExpression) {
        // Half of an expression, as it is being typed, is looked for as it stands.
        m_parts = {trimmed};
    }
}

QString TagMatcher::problem() const
{
    return m_expression.problem();
}

bool TagMatcher::matches(const QString& tag) const
{
    if (m_isExpression) {
        return m_expression.matches(tag);
    }
    if (m_parts.isEmpty()) {
        return true;
    }
    for (const QString& part : m_parts) {
        if (tag.contains(part, Qt::CaseInsensitive)) {
            return true;
        }
    }
    return false;
}

QString tagGroupOf(const QString& tag)
{
    const qsizetype slash = tag.indexOf('/');
    return slash <= 0 ? QString() : tag.left(slash);
}

QList<TagGroup> groupTags(const QSet<QString>& tags)
{
    QMap<QString, QStringList> byGroup;
    for (const QString& tag : tags) {
        byGroup[tagGroupOf(tag)].append(tag);
    }
    QList<TagGroup> groups;
    TagGroup own;
    for (auto it = byGroup.begin(); it != byGroup.end(); ++it) {
        it->sort();
        TagGroup group{.id = it.key(),
                       .title = it.key().isEmpty() ? TagListModel::tr("General") : it.key(),
                       .tags = *it};
        if (group.id == kOwnGroup) {
            own = std::move(group);
        } else {
            groups.append(std::move(group));
        }
    }
    // The own group last, as the metrics of the model matter more.
    if (!own.tags.isEmpty()) {
        own.title = TagListModel::tr("Training health");
        groups.append(std::move(own));
    }
    return groups;
}

TagListModel::TagListModel(QObject* parent) : QAbstractListModel(parent) {}

void TagListModel::setTags(const QSet<QString>& tags)
{
    if (tags == m_set) {
        return;
    }
    m_set = tags;
    m_groups = groupTags(tags);
    m_all.clear();
    for (const TagGroup& group : std::as_const(m_groups)) {
        m_all += group.tags;
    }
    applyFilter();
}

void TagListModel::setFilter(const QString& text)
{
    m_matcher = TagMatcher(text);
    applyFilter();
}

void TagListModel::applyFilter()
{
    QStringList matching;
    for (const QString& tag : std::as_const(m_all)) {
        if (m_matcher.matches(tag)) {
            matching.append(tag);
        }
    }
    // A reset loses the selection, so only if something differs.
    if (matching == m_matching) {
        return;
    }
    beginResetModel();
    m_matching = std::move(matching);
    endResetModel();
}

int TagListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_matching.size());
}

QVariant TagListModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_matching.size()) {
        return {};
    }
    const QString& tag = m_matching.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return tag;
    case GroupRole:
        return tagGroupOf(tag);
    default:
        return {};
    }
}

Qt::ItemFlags TagListModel::flags(const QModelIndex& index) const
{
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled |
                                 Qt::ItemNeverHasChildren
                           : Qt::NoItemFlags;
}

QStringList TagListModel::mimeTypes() const
{
    return {QString::fromLatin1(kMimeType)};
}

QMimeData* TagListModel::mimeData(const QModelIndexList& indexes) const
{
    auto* mime = new QMimeData;
    if (!indexes.isEmpty()) {
        const QString tag = indexes.front().data(Qt::DisplayRole).toString();
        mime->setData(QString::fromLatin1(kMimeType), tag.toUtf8());
        mime->setText(tag);
    }
    return mime;
}

} // namespace cannery::ui
