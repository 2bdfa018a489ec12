package trails_test

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trails/capability/project/projecttest"
)

// claim is something that the README or the guide promises.
type claim struct {
	says string
	// tests show it: the package and the name of a test, with a script behind a slash.
	tests []string
	// figure is the latest one, with where it stands; "" when the test alone decides.
	figure string
	// again runs it, where that is not the tests by their names.
	again string
}

const (
	torture     = "`make torture` (an hour)"
	conformance = "`make conformance`"
	tortured    = "2026-11-22, [benchmarks](benchmarks.md#under-attack)"
)

var claims = []struct {
	title string
	rows  []claim
}{
	{"Nothing is lost", []claim{
		{"A commit that was acknowledged survives the death of the process.", []string{"e2e.TestKilledUnderLoad", "e2e.TestTortureFiveHundredKills", "db.TestKilledInMidCommit"}, "500 kills: all of 19,247 acknowledged commits there, no half commit; " + tortured, torture},
		{"A load, an update or a migration happens whole or not at all.", []string{"kg.TestMigrationsKilledAtEveryWrite", "e2e.TestABadLineChangesNothing", "db.TestAFullDiskChangesNothing"}, "", ""},
		{"Any number of processes work on one file.", []string{"e2e.TestEightProcessesWriteToOneFile", "e2e.TestTortureEightProcessesKeepTheLogShort"}, "8 processes, 80,000 writes, none lost, the log at most 64 MiB; " + tortured, torture},
		{"Clients that write to branches at once lose nothing, move a head only from where they saw it if they ask for that, and see no half commit.", []string{"e2e.TestSixtyFourClientsOnEightBranches", "e2e.TestTortureSixtyFourClientsOnEightBranches"}, "64 clients on 8 branches in 4 processes for a minute: 7,458 commits acknowledged, each in its history once; 2026-11-28, [benchmarks](benchmarks.md#under-attack)", torture},
		{"Minutes of mixed work through several processes leave memory, descriptors and log as they were.", []string{"e2e.TestTortureTenMinutesOfEverything"}, "329,228 calls in ten minutes, none failed; 48 to 73 MB a process; " + tortured, torture},
		{"A write that is sent again is made once, through any door.", []string{"e2e.TestTortureRetriesThroughAllDoorsMakeOneWrite", "e2e.TestARetryThroughAnotherDoorIsTheSameCall"}, "2,000 writes through 7 doors at once: one commit each; " + tortured, torture},
		{"A file that is moved, replaced or deleted while it is open is noticed.", []string{"e2e.TestAFileThatIsMovedUnderAServer", "e2e.TestTortureFileIsShuffled"}, "100 times: 2,431 writes acknowledged, none lost; " + tortured, torture},
		{"A backup is restored under running servers, and a kill leaves the old state or the new one.", []string{"e2e.TestARestoreUnderRunningServers", "db.TestARestoreIsKilledInTheMiddle"}, "", ""},
		{"A newer version opens every file of an older one.", []string{"db.TestEveryReleasedFormatIsMigrated"}, "", ""},
		{"A full or a read-only disk loses nothing, and reads go on.", []string{"e2e.TestAFullDisk", "e2e.TestADiskThatBecomesReadOnly", "cmd/trails.TestScripts/diskfull"}, "", ""},
	}},
	{"What is there can be proven", []claim{
		{"`verify` names what was changed by another program.", []string{"db.TestVerifyNamesWhatWasForged", "db.TestVerifyAgreesWithWhatWasWritten"}, "a million statements in 5.0 s; [benchmarks](benchmarks.md#under-attack)", ""},
		{"A damaged byte is found, and never makes the program crash.", []string{"e2e.TestAFlippedByteIsNoticed", "e2e.TestTortureFlippedBytes"}, "500 bytes flipped: 408 named, 92 where nobody reads, no crash; " + tortured, torture},
		{"The same history in two files has the same ids.", []string{"kg.TestTheSameHistoryInTwoFilesHasTheSameIDs"}, "", ""},
		{"Every call is recorded: who, when, with what, and what came of it.", []string{"e2e.TestNoReadThatEndedIsMissing", "e2e.TestTortureReadsBesideWriters"}, "1,000 reads beside a writer, 135 of them killed: each that ended is there once; " + tortured, torture},
		{"A commit can be taken back, or the answer names what stands against it.", []string{"kg.TestRandomHistories", "kg.TestWhatStandsAgainstAnUndoIsFoundAtAHub", "builtin.TestUndoTakesBackChangesOfTheSchema"}, "", ""},
		{"Migrations go there and back.", []string{"kg.TestTenMigrationsThereAndBack", "kg.TestMigrationsCarryStoredQueries"}, "", ""},
		{"A promotion changes definitions and no data, and loses nothing that it does not say.", []string{"kg.TestAPromotionLosesNothingThatItDoesNotSay", "cmd/trails.TestScripts/promote"}, "", ""},
		{"What is exported and loaded again is the same graph.", []string{"kg.TestAnExportLoadedAgainExportsTheSame", "kg.TestNDJSONLoadedAgainExportsTheSame", "cmd/trails.TestScripts/roundtrip"}, "", ""},
	}},
	{"Answers are right", []claim{
		{"SPARQL queries and updates do what the standard says.", []string{"kg.TestQueriesPassTheW3CSuites", "kg.TestUpdatesPassTheW3CSuite", "db.TestTheFileAnswersTheW3CSuites", "e2e.TestW3CQueriesAskedOfTheBinaryGiveTheSameAnswers"}, "1.0: 482 of 482; 1.1: queries 328 of 328, updates 157 of 157, results 13 of 13; 2026-11-26", conformance},
		{"So do its protocols over HTTP.", []string{"httpapi.TestW3CProtocol", "httpapi.TestW3CGraphStore", "httpapi.TestW3CServiceDescription"}, "protocol 34 of 34, graph store 13 of 13, service description 3 of 3; 2026-11-26", conformance},
		{"Every format of RDF is read and written by its standard.", []string{"rdf/rdfio.TestW3CSuitesPass", "rdf/rdfio.TestW3CJSONLDToRDF", "rdf/rdfio.TestW3CJSONLDFromRDF"}, "N-Triples 70 of 70, N-Quads 87 of 87, Turtle 313 of 313, TriG 356 of 356, RDF/XML 166 of 166; JSON-LD 433 of 467 read and 42 of 54 written, the exceptions one by one in `rdf/rdfio/testdata`; 2026-11-26", conformance},
		{"Constraints mean what SHACL says.", []string{"validate.TestW3C", "validate.TestNodeAgreesWithANaiveReadingOfTheStandard"}, "", conformance},
		{"Queries give the same answers as a second, naive evaluator, whatever the query.", []string{"kg.TestQueriesAgreeWithTheOracle", "db.TestQueriesAgreeWithTheOracle", "db.TestQueriesOfThePastAgreeWithTheOracle", "kg.TestUpdatesAgreeWithTheOracle", "sparql/naive.TestTheOraclePassesTheW3CSuites"}, "drawn at random in each run", "the tests with `RAPID_CHECKS=10000`"},
		{"What was answered at a commit is answered again at that commit, by every read, whatever changed since.", []string{"builtin.TestAReadOfAnEarlierCommitIsWhatWasReadThen", "db.TestTheFileAnswersTheW3CSuites", "db.TestQueriesOfThePastAgreeWithTheOracle"}, "60 reads at 12 moments of a graph's life, the 810 queries of the W3C, and queries drawn at random in each run; 2026-11-27", ""},
		{"They give the same answers as SQL by hand and as other engines.", []string{"db/querykit.TestTheEngineTheSQLAndTheOracleGiveTheSameAnswers", "db.TestScansAgreeWithSQL", "db.TestTortureScansBesideSQL"}, "97 queries, the same answers from Oxigraph, Jena and Virtuoso; 2026-11-24 and 25, [benchmarks](benchmarks.md#figures)", "`make bench-peers`"},
		{"What a write is refused for is all that is wrong with it, at once.", []string{"admin.TestACreateWithMistakesNamesThemAndKeepsWhatWasWritten", "kg.TestALoadReportsAllMistakesAtOnce"}, "", ""},
		{"A spreadsheet becomes a graph with one command.", []string{"kg.TestWhatPeopleWriteInTablesIsFoundOut", "cmd/trails.TestScripts/import", "kg/load.TestHostileWorkbooksAreRefused"}, "", ""},
	}},
	{"Agents", []claim{
		{"MCP is spoken as its official suite says.", []string{"mcp.TestConformanceWithTheOfficialSuite", "mcp.TestConformanceWithTheNextSuite", "e2e.TestConformanceOfTheBuiltServer", "mcp.TestConformanceOfTheTranscriptsWithTheSchemas"}, "with sessions 46 of 46 checks, without 26 of 34, of the next version of the suite 163 of 212 and 140 of 197, none of them against the schema of a message, the exceptions in `mcp/testdata/conformance`", conformance},
		{"Clients that others wrote work with it.", []string{"e2e.TestTheTypeScriptClient", "e2e.TestTheInspector", "mcp.TestTheSDKsClientWorksOnStdioAndHTTP"}, "", ""},
		{"An agent is refused, corrects itself and reads back what it wrote.", []string{"e2e.TestTheMainJobOverStdio", "e2e.TestTheMainJobOverHTTP", "e2e.TestTheTour"}, "", "`go run ./example/tour`"},
		{"An agent's work takes few calls and tokens.", []string{"e2e/agent.TestTwelveTasks"}, "twelve tasks on ATT&CK: 25 calls and 10,478 tokens, where it was 73 calls; [benchmarks](benchmarks.md#an-agents-tasks)", "`make bench-agent`"},
		{"The list of tools stays small: 7,500 tokens for each type's tools on ATT&CK, 3,000 for the tools of any type, 1,500 with other servers.", []string{"builtin/surface.TestAListCostsWhatItMay"}, "", ""},
		{"A list costs the same for any number of tools of other servers.", []string{"gateway/tools.TestTheListCostsTheSameForAnyNumberOfToolsOfServers", "gateway/tools.TestASessionCostsAFractionOfTheWholeList"}, "543 tokens for 10, 1,000 and 10,000 tools; [benchmarks](benchmarks.md#the-gateway)", ""},
		{"A model reads little of a large result, and the rest is kept.", []string{"gateway/tools.TestAModelReadsLittleOfALargeResult"}, "96 % less at 10,000 characters, 98.7 to 99.7 % at 30,000 and more; [benchmarks](benchmarks.md#the-gateway)", ""},
		{"A capability is the same in every view: tool, page, HTTP, OpenAPI, Thing Description.", []string{"capability/project.TestViewsOfRandomDescriptorsAgree", "e2e.TestStoredQueriesAnswerAlikeAtEveryDoor"}, "", ""},
	}},
	{"Under load and attack", []claim{
		{"One caller's long queries do not stop the others.", []string{"e2e.TestUsersHardlyNoticeHostileQueries", "e2e.TestTortureUsersBesideHostileQueries", "e2e.TestASessionWithSixteenQueriesRunningAnswersHealthWritesAndPings"}, "", torture},
		{"A hostile query ends within its memory and time, with a reason.", []string{"builtin.TestHostileTextsAreAnsweredOrToldWhy", "e2e.TestTortureSizesOfQueries"}, "", torture},
		{"Uploads that stall and clients that send nonsense hold nobody up.", []string{"e2e.TestStalledBodiesHoldNobodyUp", "e2e.TestAServerSurvivesNonsense"}, "", ""},
		{"At a million statements no query of the kit is slower than in Oxigraph, Jena and Virtuoso; at ten million some are.", []string{"db/querykit.TestTheEngineTheSQLAndTheOracleGiveTheSameAnswers"}, "47 queries at a million statements: 0.06 of Oxigraph's time, 0.07 of Jena's, 0.11 of Virtuoso's (geometric means); 2026-11-24, [benchmarks](benchmarks.md#figures)", "`make bench-peers`"},
	}},
	{"Documents", []claim{
		{"The commands of the README do what it says.", []string{"cmd/trails.TestTheTourOfTheReadmeWorks"}, "", ""},
		{"The reference has the errors, settings and limits of the code.", []string{"cmd/trails.TestReferenceGolden", "cmd/trails.TestSettingsAreAllThatIsRead"}, "", "`make generate`"},
		{"Every link of the documents leads somewhere, and every test that this page names exists.", []string{".TestLinksOfDocsResolve", ".TestProofGolden"}, "", ""},
	}},
}

// concern is what somebody could do, and what stands in the way.
type concern struct {
	who, could, stands, page string
	tests                    []string
}

var concerns = []concern{
	{"somebody in the network", "reach the server", "only loopback addresses are bound, and others with TLS and a token alone, by the names of the certificate or of a proxy", "[TLS](operating.md#tls)", []string{"httpapi.TestListenRefusesWhatOthersCouldReach", "loopback.TestWhatIsThisMachine", "e2e.TestServeStaysOnLoopback", "cmd/trails.TestServingOverTLS", "cmd/trails.TestServingOverTLSIsRefused"}},
	{"somebody in the network", "read or write without the token", "the token is asked for at every door but `/health`, `/ready`, the sign-in and the address of an identity provider; it is kept as a hash and compared in constant time", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"httpapi.TestTheTokenGuardsEverythingButHealth", "e2e.TestATokenGatesEverything", "mcp.TestTrap01NoMethodOfAnyVersionWorksOverHTTPWithoutTheToken"}},
	{"somebody in the network", "guess the token", "after ten wrong tokens of one address each answer waits, and is 429; the right token never waits", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"httpapi.TestWrongTokensAreSlowedAndTheRightOneIsNot", "auth.TestAddressesOfWrongTokensAreBoundedAndAFloodForgivesNobody"}},
	{"somebody with the log or the file", "find a token in it", "tokens are taken out of the log, of records and of errors, and are refused in addresses; the file has hashes ([141](decisions/0141-refusals.md))", "[who was refused](operating.md#who-was-refused)", []string{"cmd/trails.TestNoTokenIsLoggedRecordedOrAnswered", "auth.TestAnAddressWithATokenIsRefused", "e2e.TestAForeignPageGetsNothingDone"}},
	{"somebody with a token that was revoked or has expired", "go on with it", "each request asks the file; sign-ins, sessions and streams that it began are looked at again ([139](decisions/0139-tokens.md))", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"auth.TestTokensOfTheGraph", "auth.TestWhatATokenBeganEndsWithIt", "e2e.TestNothingOutlivesARevocationAndNoSessionIsGiven", "cmd/trails.TestScripts/token"}},
	{"somebody with an authorization code or a refresh token that is not theirs, or an access token for another graph", "use it here", "a code is for the client, the redirect and the verifier that asked for it, for a minute and once; a second use of it or of a refresh token revokes what was given; the issuer is part of each grant ([150](decisions/0150-sign-in-of-hosted-clients.md))", "[hosted clients](operating.md#hosted-clients)", []string{"auth/oauth.TestCodesThatAreRefused", "auth/oauth.TestARefreshTokenThatIsUsedTwiceRevokesItsGrant", "auth/oauth.TestTokensAreForOneServer", "auth/oauth.TestAGrantEndsWithItsPerson", "auth/oauth.TestManyWrongCodesWait", "auth/oauth.TestAssertionsOfTheProvider", "auth.TestAClientHasNoMoreThanItsPerson", "e2e.TestEveryAddressKnowsEveryStateOfAToken"}},
	{"a site that plays a client", "get a code that a person gives to another, or have them allow what they do not see", "answers go to an address of the client alone, and say the issuer; the page of consent is always shown, cannot stand in a frame, says where access goes, and is answered from itself alone", "[hosted clients](operating.md#hosted-clients)", []string{"auth/oauth.TestRequestsThatAreRefused", "auth/oauth.TestRedirectsOfClients", "auth/oauth.TestNamesOfClientsAreOneLine", "admin.TestThePageOfConsent", "admin.TestWhoComesFromAClientIsAskedToSignIn"}},
	{"somebody with an answer of the identity provider that is not theirs", "sign in with it, or sign a person in as themselves", "an answer counts once, for ten minutes, in the browser that began, by cookie, state, nonce and PKCE, and the token has to be for this server", "[an identity provider](operating.md#an-identity-provider)", []string{"auth/oidc.TestAPersonSignsInAtTheProvider", "admin.TestABrowserSignsInAtTheProvider"}},
	{"a client whose document is somewhere else", "have the server ask the network behind it", "a document is got for a person who has signed in, from public addresses alone, which the connection and not the name decides, without redirects or a proxy, bounded in time and size", "[hosted clients](operating.md#hosted-clients)", []string{"auth/oauth.TestPublicAddresses", "auth/oauth.TestAnAddressThatIsNotPublicIsNotConnectedTo", "auth/oauth.TestDocumentsOfClients"}},
	{"somebody with a token of the identity provider for another server, or one of their own making", "use it here", "signature, issuer, audience and times are checked, by algorithms with public keys alone; the provider is asked for keys once in ten seconds, whatever tokens come ([143](decisions/0143-identity-provider.md))", "[an identity provider](operating.md#an-identity-provider)", []string{"auth/oidc.TestWhyATokenIsNotValid", "auth/oidc.TestAFloodOfKeysAsksOnce", "auth/oidc.TestMetadataThatCannotBeTrusted", "auth.TestARefusalOfAnIdentityProvider"}},
	{"somebody in the network", "pass for another address", "`X-Forwarded-*` is believed from loopback and `--trusted-proxy` alone", "[proxy and TLS](operating.md#a-proxy)", []string{"httpapi.TestForwardedHeadersCountFromTrustedAddressesOnly"}},
	{"somebody in the network", "send a request that a proxy reads in another way than the server", "two tokens, lengths, encodings or hosts are refused; a body in chunks is the last one of its connection", "[proxy and TLS](operating.md#a-proxy)", []string{"e2e.TestARequestIsReadInOneWayOnly", "httpapi.TestLargeHeadersAreRefused"}},
	{"somebody in the network", "hold connections by sending slowly", "headers and bodies that do not arrive end the connection, and the slowest make room", "[limits](guide/reference.md#limits)", []string{"httpapi.TestHeadersThatDoNotArriveEndTheConnection", "httpapi.TestTheSlowestBodyMakesRoomForTheNext", "e2e.TestStalledBodiesHoldNobodyUp"}},
	{"a caller with the token", "use the session of another caller", "a session answers only who opened it", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"mcp.TestASessionAnswersNobodyButWhoOpenedIt", "mcp.TestTrap05AnotherTokenCannotPostToALegacySession", "cmd/trails.TestAnMCPSessionOfOneGraphIsOfThatGraph"}},
	{"somebody who gives a browser or a client a session", "be in the session that another opens by it (session fixation)", "a session gets a new random name at each sign-in and at each beginning; one that the server did not make is none", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"e2e.TestNothingOutlivesARevocationAndNoSessionIsGiven"}},
	{"whoever writes to the graph", "write lines of the log, or control a terminal", "the log quotes what callers send, and commands show no control characters", "[who was refused](operating.md#who-was-refused)", []string{"e2e.TestNoCallerWritesLinesOfTheLogOrControlsATerminal"}},
	{"a page of another site in a user's browser", "make the browser write, or read by a name that leads to loopback", "`Host` must be a name of the server; `Origin` and `Sec-Fetch-Site` are checked for writes and queries; cookies are `SameSite=Strict`", "[HTTP](guide/http.md)", []string{"mcp.TestTrapSection1AnotherHostIsRefusedOnLoopback", "e2e.TestAForeignPageGetsNothingDone", "admin.TestAPageElsewhereCannotSendAForm", "httpapi.TestABrowserThatSignedInMayReadAndNoMore", "httpapi.TestQueriesThatOtherSitesSendAreRefused"}},
	{"a caller with the token", "do what its scope does not allow", "the scope of each capability is checked before its handler; what needs `builder` is neither listed nor called without it", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"mcp.TestBuilderToolsAreHiddenFromAndRefusedToCallersWithoutAToken", "e2e.TestWhoMayCallWhat", "e2e.TestASchemaThatLosesDataNeedsBuilder"}},
	{"a caller with the token", "do in production what only developers may", "with `TRAILS_ENV=production` what needs `dev` is not there for anybody, and nobody has `builder` without a token or `--operator`", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"invoke.TestDevToolsAreHiddenAndRefusedInProduction", "cmd/trails.TestScopesOverStdioAreReachedAsTheStartSays", "e2e.TestASchemaThatLosesDataNeedsBuilder"}},
	{"a caller with the token", "read, or learn of, what policies keep from it", "what may not be read is not in its view, and is answered as what is not there, by every door; of policies, tokens and refusals it sees none ([146](decisions/0146-policies-in-cedar.md))", "[policies](guide/policies.md#what-somebody-sees)", []string{"kg.TestPoliciesDecideWhatIsSeen", "db.TestWhatWasDecidedFollowsTheCommits", "kg.TestPoliciesHideBranches", "e2e.TestWhatPoliciesHideIsAsIfItWereNotThere", "builtin.TestWhoSeesAPartSeesNoPolicies"}},
	{"a caller with the token", "learn of what is hidden by counts, errors, uniqueness, references, spelling hints, estimates, history or feeds", "each read and write answers with the same bytes as in a file without what is hidden; a write that would collide with it is refused without a word of it", "[policies](guide/policies.md#what-somebody-sees)", []string{"builtin.TestACallerWithRightsReadsAFileOfWhatItMaySee", "builtin.TestACallerWithRightsWritesToAFileOfWhatItMaySee", "e2e.TestWhatPoliciesHideIsAsIfItWereNotThere"}},
	{"a caller with the token", "tell from the time of an answer what is hidden and what is missing", "a name that is hidden is answered as fast as one that is missing", "[policies](guide/policies.md#what-somebody-sees)", []string{"e2e.TestTheTimeOfAnAnswerDoesNotTellWhatIsHidden"}},
	{"a caller with the token", "change what policies keep from it, or the policies", "each node that a change touches is held against the policies of main, in its transaction, whatever call makes it; who may not administer brings policies by no merge, promotion, undo or bundle", "[policies](guide/policies.md)", []string{"kg.TestPoliciesDecideWhatIsChanged", "kg.TestPoliciesOfMainDecide", "kg.TestPoliciesHoldForBundles", "kg.TestATypeThatPoliciesNameKeepsItsName", "e2e.TestWhoMayCallWhatUnderPolicies"}},
	{"a caller with the token", "change a graph whose owner has not said who may", "without policies callers by a token read; writes are denied in their transaction, at every door ([151](decisions/0151-without-policies.md))", "[policies](guide/policies.md)", []string{"kg.TestWithoutPoliciesTokensRead", "e2e.TestWhoMayCallWhatUnderPolicies"}},
	{"a caller with the token", "go on under policies that were taken away, or cannot be read", "each call and write asks for those of main; unreadable ones permit nothing; who watches is told no more when they change", "[policies](guide/policies.md)", []string{"kg.TestPoliciesCountAtOnce", "kg.TestPoliciesThatCannotBeReadPermitNothing", "kg.TestAWatcherEndsWithItsPolicies"}},
	{"a caller with the token", "use up the process", "limits on time, memory, rows, bodies and connections; callers take turns, and budgets say how much each may use", "[limits](guide/reference.md#limits), [budgets](operating.md#budgets)", []string{"e2e.TestUsersHardlyNoticeHostileQueries", "e2e.TestStalledBodiesHoldNobodyUp", "httpapi.TestHostileTextsLeaveRoomForOthers", "invoke.TestProcessesShareABudget", "e2e.TestABudgetSurvivesKills", "invoke/schedule.TestActorsTakeTurnsAtTheGate"}},
	{"a caller with a token of one graph", "read or change another that the same process serves", "each graph has its own tokens, sign-ins, sessions and addresses, and a server that knows no other ([145](decisions/0145-many-graphs.md))", "[several graphs](guide/http.md#several-graphs)", []string{"cmd/trails.TestNothingCrossesGraphs", "cmd/trails.TestASignInOfOneGraphIsOfThatGraph"}},
	{"whoever puts files into a folder that is served", "serve a file from elsewhere, or break what is served", "symbolic links and names that are more than a name are left out; a file that cannot be opened is left out alone", "[several graphs](guide/http.md#several-graphs)", []string{"httpapi/folder.TestWhatIsNoGraphIsLeftOutAndSaysWhy"}},
	{"somebody in the network", "reach another file by the name of a graph, or by a bundle", "a graph is looked up among those that were found in the folder, and no path is made of a name; a bundle has no names of files", "[several graphs](guide/http.md#several-graphs)", []string{"e2e.TestNoNameOfAGraphIsAPath", "kg.TestAChangedBundleIsRefusedOrTheSame", "kg.TestABundleThatDoesNotFitIsRefused"}},
	{"a caller with the token", "smuggle SPARQL through a parameter", "parameters are bound as terms and never read as text", "[ask](guide/ask.md)", []string{"builtin.TestParametersOfEveryKindAreBound"}},
	{"a caller with the token", "have a text read as SQL, SPARQL, Cedar, YAML, a path or a format", "texts are bound or quoted; each argument of each capability is tried with each", "[ask](guide/ask.md)", []string{"e2e.TestNoTextIsMoreThanAText"}},
	{"a caller with the token", "make the server send requests elsewhere", "hosts are reached only when `--allow-remote` names them; redirects lead to those alone", "[other hosts](guide/ask.md#other-hosts)", []string{"kg/remote.TestOnlyNamedHostsAreReached", "kg/remote.TestRedirectsLeadToAllowedHostsOnly"}},
	{"a caller with the token", "start a program, by naming it as an upstream server", "a definition runs when somebody agreed to it at this machine; what came over the network never does by a setting ([83](decisions/0083-trust-of-commands.md))", "[gateway](guide/gateway.md)", []string{"gateway/upstream.TestOnlyWhatIsTrustedIsReached", "cmd/trails.TestScripts/gateway_trust"}},
	{"whoever writes to the graph", "run a script on the pages", "text is escaped; every page has a strict Content-Security-Policy", "[pages](guide/pages.md)", []string{"admin.TestHostileLabelsAreTextOnEveryPage"}},
	{"whoever writes to the graph", "give orders to a model that reads it", "what comes from the graph stands in quotation marks, on one line, cut, and marked as data", "[agents](guide/agents.md#what-an-agent-is-told)", []string{"builtin/brief.TestHostileTextStaysOneQuotedLineOfTheGuide", "builtin/brief.TestPromptsOfALargeHostileSchemaStayBounded"}},
	{"whoever writes to the graph", "loosen the rules", "data never changes the schema; loosening, renaming and dropping need `builder` ([80](decisions/0080-loosening.md))", "[the schema](guide/schema.md)", []string{"builtin.TestWhoLacksBuilderCannotLoosenTheSchema"}},
	{"an upstream server", "change what its tools say after somebody read it", "a pinned server is listed as it was accepted; what changed is held back", "[gateway](guide/gateway.md)", []string{"gateway/upstream.TestAPinnedServerIsListedAsItWasAccepted", "gateway.TestWhatWasNotAcceptedIsHeldBackOfAServerThatIsPinned"}},
	{"an upstream server", "get the credentials of another, or repeat its own to somebody", "requests go to the origin of the definition alone; what looks like a secret is taken out of answers and logs", "[gateway](guide/gateway.md)", []string{"gateway/upstream.TestRequestsGoToTheOriginOfTheDefinitionAlone", "gateway/upstream.TestNoSecretIsRepeated"}},
	{"an upstream server", "flood the process", "answers, lists and messages are bounded", "[limits](guide/reference.md#upstream-servers)", []string{"gateway.TestWhatAServerOffersIsBounded"}},
	{"a server that `trails proxy` is pointed at", "have the token sent elsewhere, or read on the way", "requests go to the origin of the URL alone, and the token needs https beyond this machine; it stands in no URL, argument or error ([138](decisions/0138-proxy.md))", "[agents](guide/agents.md#a-server-elsewhere)", []string{"mcp/proxy.TestRedirectsStayAtTheOrigin", "mcp/proxy.TestTheTokenIsNotSentInPlainText", "mcp/proxy.TestWhatIsNoAnswerIsAnError"}},
	{"whoever sends a file", "hide code in it", "a file with triggers, views, virtual tables or anything that no format has is refused by name ([87](decisions/0087-a-file-is-data.md))", "[backup and restore](operating.md#backup-and-restore)", []string{"db.TestAFileIsData"}},
	{"whoever sends data", "crash the reader", "workbooks, RDF, JSON and what is compressed are read within limits", "[data](guide/data.md)", []string{"e2e.TestABodyIsAsLargeAsItIsRead", "e2e.TestJSONWithoutEndIsRefused", "kg/load.TestHostileWorkbooksAreRefused", "httpapi.TestHostileInputIsRefusedBeforeTheEngineSeesIt"}},
	{"anybody, by accident", "delete much", "a call that removes more than 1,000 statements is refused until it is allowed; where somebody can be asked, they are ([38](decisions/0038-mass-changes.md))", "[write and undo](guide/write.md#confirmation)", []string{"builtin.TestACallThatRemovesMuchSaysThatItMeansTo", "builtin.TestAPersonIsAskedBeforeMuchIsRemoved"}},
	{"anybody, by accident", "damage the file", "`verify` finds it; `restore` keeps what it replaces", "[backup and restore](operating.md#backup-and-restore)", []string{"e2e.TestADamagedPageIsFound", "e2e.TestTheRestoreCommand"}},
	{"the local user, at a sign-in link", "get in where it leaked", "it opens once, within an hour, one browser, and the log says when", "[tokens and scopes](operating.md#tokens-and-scopes)", []string{"auth.TestTheSignInLinkLetsOneBrowserInOnce"}},
}

// Every test that the tables name exists, and so does the script behind a slash.
func TestProofNamesTestsThatExist(t *testing.T) {
	exists := map[string]bool{}
	for _, s := range readSources(t) {
		if !s.test {
			continue
		}
		for _, d := range s.file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil {
				exists[strings.TrimPrefix(s.pkg, ".")+"."+f.Name.Name] = true
			}
		}
	}
	var tests []string
	for _, section := range claims {
		for _, c := range section.rows {
			if len(c.tests) == 0 {
				t.Errorf("nothing shows that %s", c.says)
			}
			tests = append(tests, c.tests...)
		}
	}
	for _, c := range concerns {
		if len(c.tests) == 0 {
			t.Errorf("nothing tries that %s could %s", c.who, c.could)
		}
		tests = append(tests, c.tests...)
	}
	for _, name := range tests {
		test, script, scripted := name, "", false
		if at := strings.Index(name, ".TestScripts/"); at >= 0 {
			test, script, scripted = name[:at]+".TestScripts", name[at+len(".TestScripts/"):], true
		}
		if !exists[test] {
			t.Errorf("%s does not exist", test)
		}
		if scripted {
			if _, err := os.Stat(filepath.Join("cmd", "trails", "testdata", "script", script+".txtar")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The page of proof and the threat model are made of the tables above.
func TestProofGolden(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Proof

Here you see what ` + "`trails`" + ` promises, the tests that show it, and the latest figure. The page is made from a table in ` + "`proof_test.go`" + ` by ` + "`make generate`" + `; a row that names a test that does not exist fails. Run a test with ` + "`go test ./PACKAGE -run NAME`" + `.

Tests named *Torture* run with ` + "`make torture`" + ` (an hour; ` + "`TRAILS_TORTURE_SCALE=0.1`" + ` makes it shorter), all others with ` + "`go test ./...`" + ` and in ` + "`.ci/run`" + ` at every change. Exceptions to a standard's suite stand in the tests, one by one, each with its reason; one that passes fails the run.
`)
	for _, section := range claims {
		fmt.Fprintf(&b, "\n## %s\n\n| promise | shown by | latest figure | run again |\n|---|---|---|---|\n", section.title)
		for _, c := range section.rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.says, shownBy(c.tests), c.figure, c.again)
		}
	}
	projecttest.GoldenText(t, filepath.Join("docs", "proof.md"), b.String())

	b.Reset()
	b.WriteString(`# Threat model

Here you see who could do what to a graph and its users, what stands in the way, and the tests that try it. The page is made from a table in ` + "`proof_test.go`" + `.

| who | could | what stands in the way | more | tried by |
|---|---|---|---|---|
`)
	for _, c := range concerns {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.who, c.could, c.stands, c.page, shownBy(c.tests))
	}
	b.WriteString(`
## What nothing stands against

- Who can write the file, or read the process's memory and environment, can read and change all of it. Data is not encrypted at rest.
- The administrator of the proxy sees everything that passes.
- All callers that show the token have the same rights: a holder of it can read all that there is.
- Work on what is hidden takes time: a word that stands in thousands of hidden nodes, or a count over all, is answered later than where there is none. So time tells of much that is hidden, and not of one node.
- Who computes every digest anew, or puts the file back to an earlier state, is not found by ` + "`verify`" + `: keep the id of the head elsewhere, and compare.
`)
	projecttest.GoldenText(t, filepath.Join("docs", "threat-model.md"), b.String())
}

// shownBy names tests as the go command takes them: the package, and the name.
func shownBy(tests []string) string {
	said := make([]string, len(tests))
	for i, name := range tests {
		at := strings.Index(name, ".Test")
		said[i] = "`" + strings.TrimSpace(name[:at]+" "+name[at+1:]) + "`"
	}
	return strings.Join(said, ", ")
}
