// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

class QJsonObject;

namespace cannery::ui {

/// A row of a table along its first two principal components.
struct ComponentPoint
{
    double x = 0;
    double y = 0;         ///< 0 if there is only one component
    qsizetype group = -1; ///< in the groups of the label; -1: none
    QString text;         ///< what the row stands for; empty if not known

    bool operator==(const ComponentPoint&) const = default;
};

/// A numeric column, and why it takes no part.
struct ComponentColumn
{
    QString name;
    QList<double> loadings; ///< correlations with the components; empty if it takes no part
    QString remark;         ///< missing cells, or why it takes no part

    bool operator==(const ComponentColumn&) const = default;
};

/// What `cannery preview --components` says about a table.
struct TableComponentFacts
{
    qint64 rows = 0;
    qint64 usedRows = 0;
    QList<double> shares;           ///< of the variance, by component
    QList<ComponentColumn> columns; ///< those that take part before the others
    qsizetype usedColumns = 0;
    QString label; ///< empty if there is none
    QStringList groups;
    QList<ComponentPoint> points; ///< from left to right

    bool operator==(const TableComponentFacts&) const = default;
};

/// A table of embeddings, as `cannery inspect --embeddings` lists it.
struct EmbeddingTable
{
    QString variable;
    QString column; ///< that reads it; empty if not known
    qint64 rows = 0;
    qint64 dimension = 0;

    bool operator==(const EmbeddingTable&) const = default;
};

/// What `cannery inspect --components` says about a table of embeddings.
struct EmbeddingFacts
{
    EmbeddingTable table;
    QList<double> shares;
    QList<ComponentPoint> points; ///< of the first rows, in their order
    QString problem;              ///< why no row has a text; a sentence

    bool operator==(const EmbeddingFacts&) const = default;
};

TableComponentFacts tableComponentsFromJson(const QJsonObject& components);
QList<EmbeddingTable> embeddingTablesFromJson(const QJsonObject& embeddings);
EmbeddingFacts embeddingFromJson(const QJsonObject& components);

/// "Component 1 · 43.2 %"; empty if there is no such component.
QString componentTitle(const QList<double>& shares, qsizetype component);

} // namespace cannery::ui
