// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/bounded_pattern.h"

#include <QAbstractListModel>
#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>

namespace cannery::ui {

/// Scalar tags under one heading: the part before the first "/".
struct TagGroup
{
    QString id;    ///< "dnn"; empty for tags without a prefix
    QString title; ///< translated if the id is empty
    QStringList tags;

    bool operator==(const TagGroup&) const = default;
};

/// Tags sorted by group: those without a prefix first, ours ("cannery/…") last.
QList<TagGroup> groupTags(const QSet<QString>& tags);
/// "dnn" of "dnn/hiddenlayer_0/activation".
QString tagGroupOf(const QString& tag);

/// A filter for tags. A text without regular expression characters is searched for literally,
/// alternatives separated by "|"; otherwise it is a case-insensitive regular expression.
class TagMatcher
{
public:
    explicit TagMatcher(const QString& text = {});

    bool isEmpty() const { return m_parts.isEmpty() && !m_isExpression; }
    /// Why the text is not a valid regular expression, a sentence; empty if it is. An invalid one
    /// matches tags that contain the text literally; one that takes too long matches nothing.
    QString problem() const;
    bool matches(const QString& tag) const;

private:
    QStringList m_parts;
    bool m_isExpression = false;
    BoundedPattern m_expression;
};

/// The tags of the shown runs, filtered while typing: handles 20,000 of them without delay. Rows
/// can be dragged onto charts. GUI thread.
class TagListModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role
    {
        GroupRole = Qt::UserRole,
    };

    explicit TagListModel(QObject* parent = nullptr);

    void setTags(const QSet<QString>& tags);
    qsizetype tagCount() const { return m_all.size(); }
    /// Of all tags, ignoring the filter.
    const QList<TagGroup>& groups() const { return m_groups; }

    void setFilter(const QString& text);
    const TagMatcher& matcher() const { return m_matcher; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;

    static constexpr const char* kMimeType = "application/x-cannery-tag";

private:
    void applyFilter();

    QSet<QString> m_set;
    QList<TagGroup> m_groups;
    QStringList m_all; ///< in group order
    QStringList m_matching;
    TagMatcher m_matcher;
};

} // namespace cannery::ui
