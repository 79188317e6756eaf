"""Run by tests/clients/run: the official MCP client against `faultbook mcp`."""
import asyncio
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

LOG = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: GET was unable to find an engine to execute this computation\n"


def files(project):
    return {str(path) for path in Path(project, "docs/bug_reports").glob("*.md")}


async def main(faultbook, project):
    server = StdioServerParameters(command=faultbook, args=["mcp"], cwd=project)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        name = getattr(hello, "server_info", None) or hello.serverInfo
        assert name.name == "faultbook", hello
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert {"diagnose", "search", "show", "check", "probe", "draft_report"} == tools, tools
        result = await session.call_tool("diagnose", {"text": LOG, "detail": "full"})
        data = getattr(result, "structured_content", None) or result.structuredContent
        assert data["fault"]["id"] == "cudnn-no-engine", data
        assert data["reports"][0]["id"] == "BUG-20260101-007", data
        probed = await session.call_tool("probe", {})
        data = getattr(probed, "structured_content", None) or probed.structuredContent
        assert data["schema"] == "faultbook/facts/1", data
        before = files(project)
        drafted = await session.call_tool("draft_report", {"text": LOG, "severity": "high"})
        data = getattr(drafted, "structured_content", None) or drafted.structuredContent
        assert data["written"] is False and "unable to find an engine" in data["text"], data
        assert drafted.content[0].text.startswith("NOT WRITTEN"), drafted
        assert files(project) == before
        resources = (await session.list_resources()).resources
        text = (await session.read_resource(resources[0].uri)).contents[0].text
        assert "lateral" in text, text
        prompt = await session.get_prompt("explain-my-crash", {"log": LOG})
        assert "diagnose" in prompt.messages[0].content.text
    server = StdioServerParameters(command=faultbook, args=["mcp", "--allow-write"], cwd=project)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        before = files(project)
        drafted = await session.call_tool("draft_report", {"text": LOG})
        data = getattr(drafted, "structured_content", None) or drafted.structuredContent
        assert data["written"] is True, data
        assert files(project) - before == {data["path"]}, (files(project) - before, data["path"])
    print("PASSED mcp")


asyncio.run(main(*sys.argv[1:3]))
