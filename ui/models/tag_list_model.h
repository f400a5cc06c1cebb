// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/bounded_pattern.h"

#include <QAbstractListModel>
#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>

namespace cannery::ui {

/// Scalar tags under one heading: what stands before the first "/".
struct TagGroup
{
    QString id;    ///< "dnn"; empty for tags without a prefix
    QString title; ///< translated when the id is empty
    QStringList tags;

    bool operator==(const TagGroup&) const = default;
};

/// Tags sorted by group: those without prefix first, ours ("cannery/…") last.
QList<TagGroup> groupTags(const QSet<QString>& tags);
/// "dnn" of "dnn/hiddenlayer_0/activation".
QString tagGroupOf(const QString& tag);

/// Which tags a person wants to see. A text without letters of a regular expression is looked for
/// as it is, several between "|"; else it is a regular expression, regardless of case.
class TagMatcher
{
public:
    explicit TagMatcher(const QString& text = {});

    bool isEmpty() const { return m_parts.isEmpty() && !m_isExpression; }
    /// Why the text does not work as a regular expression, a sentence; empty when it does. What is
    /// none matches what contains the text as it stands; one that takes too long matches nothing.
    QString problem() const;
    bool matches(const QString& tag) const;

private:
    QStringList m_parts;
    bool m_isExpression = false;
    BoundedPattern m_expression;
};

/// The tags of the runs that are looked at, filtered as a person types: lists 20,000 of them
/// without delay. Rows can be dragged onto charts. GUI thread.
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
    /// Of all tags, whatever the filter.
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
    QStringList m_all; ///< in the order of the groups
    QStringList m_matching;
    TagMatcher m_matcher;
};

} // namespace cannery::ui
