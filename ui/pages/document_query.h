#pragma once

#include "ui/models/command_line.h"

#include <QJsonObject>
#include <QObject>
#include <QSet>
#include <QStringList>

namespace cannery::ui {

class ProjectSession;

/// What a command says of the open experiment (`preview`, `plan`): asked when somebody looks, and
/// again whenever the text changes. Quiet: no job is listed. GUI thread.
class DocumentQuery : public QObject
{
    Q_OBJECT

public:
    /// The one query of its kind, shared by all pages of the session: of `cannery preview` (200
    /// rows) and of `cannery plan`.
    static DocumentQuery& preview(ProjectSession& session);
    static DocumentQuery& plan(ProjectSession& session);

    /// Somebody looks, or does not any more.
    void setWanted(const QObject* who, bool wanted);
    const QJsonObject& result() const { return m_result; }
    /// Why there is no result; a sentence.
    QString error() const { return m_error; }
    QString errorId() const { return m_errorId; }
    bool isRunning() const { return m_job != 0; }
    CommandLine command() const;

Q_SIGNALS:
    void changed();

private:
    /// `arguments` stand behind the experiment file.
    DocumentQuery(ProjectSession& session, const QString& verb, const QStringList& arguments);
    static DocumentQuery& shared(ProjectSession& session, const QString& verb,
                                 const QStringList& arguments);
    void ask();
    void forget();

    ProjectSession* m_session;
    QString m_verb;
    QStringList m_arguments;
    QJsonObject m_result;
    QString m_error;
    QString m_errorId;
    QString m_file;
    quint64 m_asked = 0; ///< revision of the text; 0: none
    int m_job = 0;
    QSet<const QObject*> m_wanted;
};

} // namespace cannery::ui
